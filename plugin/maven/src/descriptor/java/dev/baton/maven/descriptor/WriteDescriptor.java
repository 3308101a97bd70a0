package dev.baton.maven.descriptor;

import java.io.File;
import org.apache.maven.artifact.DefaultArtifact;
import org.apache.maven.artifact.handler.DefaultArtifactHandler;
import org.apache.maven.plugin.descriptor.InvalidPluginDescriptorException;
import org.apache.maven.plugin.descriptor.PluginDescriptor;
import org.apache.maven.project.MavenProject;
import org.apache.maven.tools.plugin.DefaultPluginToolsRequest;
import org.apache.maven.tools.plugin.PluginToolsRequest;
import org.apache.maven.tools.plugin.extractor.ExtractionException;
import org.apache.maven.tools.plugin.generator.GeneratorException;
import org.apache.maven.tools.plugin.generator.PluginDescriptorFilesGenerator;
import org.apache.maven.tools.plugin.scanner.MojoScanner;
import org.codehaus.plexus.DefaultContainerConfiguration;
import org.codehaus.plexus.DefaultPlexusContainer;
import org.codehaus.plexus.PlexusConstants;
import org.codehaus.plexus.PlexusContainerException;
import org.codehaus.plexus.component.repository.exception.ComponentLookupException;

/**
 * Writes the descriptor of a Maven plugin as Maven's own plugin for plugins does it: from the
 * annotations in the classes and the documentation in the sources.
 */
final class WriteDescriptor {

  private WriteDescriptor() {}

  /**
   * @param args group, artifact, version, description, the directories of classes and sources, and
   *     the one that the descriptor is written to
   */
  public static void main(String[] args)
      throws PlexusContainerException,
          ComponentLookupException,
          InvalidPluginDescriptorException,
          ExtractionException,
          GeneratorException {
    File into = new File(args[6]);
    MavenProject project = project(args[0], args[1], args[2], into);
    project.getBuild().setOutputDirectory(args[4]);
    project.addCompileSourceRoot(args[5]);
    PluginToolsRequest request = new DefaultPluginToolsRequest(project, plugin(project, args[3]));
    request.setEncoding("UTF-8");
    scanner().populatePluginDescriptor(request);
    new PluginDescriptorFilesGenerator().execute(into, request);
  }

  private static MavenProject project(String group, String artifact, String version, File into) {
    MavenProject project = new MavenProject();
    project.setGroupId(group);
    project.setArtifactId(artifact);
    project.setVersion(version);
    project.setArtifact(
        new DefaultArtifact(
            group, artifact, version, "compile", "jar", "", new DefaultArtifactHandler()));
    project.getBuild().setDirectory(into.getPath());
    return project;
  }

  private static PluginDescriptor plugin(MavenProject project, String description) {
    PluginDescriptor plugin = new PluginDescriptor();
    plugin.setGroupId(project.getGroupId());
    plugin.setArtifactId(project.getArtifactId());
    plugin.setVersion(project.getVersion());
    plugin.setGoalPrefix(PluginDescriptor.getGoalPrefixFromArtifactId(project.getArtifactId()));
    plugin.setName("Baton Maven plugin");
    plugin.setDescription(description);
    return plugin;
  }

  private static MojoScanner scanner() throws PlexusContainerException, ComponentLookupException {
    return new DefaultPlexusContainer(
            new DefaultContainerConfiguration()
                .setClassPathScanning(PlexusConstants.SCANNING_INDEX)
                .setAutoWiring(true)
                .setJSR250Lifecycle(true))
        .lookup(MojoScanner.class);
  }
}
