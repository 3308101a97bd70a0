package dev.baton.build;

import com.sun.source.doctree.DocCommentTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePathScanner;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.gradle.api.DefaultTask;
import org.gradle.api.GradleException;
import org.gradle.api.file.ConfigurableFileCollection;
import org.gradle.api.file.RegularFileProperty;
import org.gradle.api.tasks.InputFile;
import org.gradle.api.tasks.InputFiles;
import org.gradle.api.tasks.PathSensitive;
import org.gradle.api.tasks.PathSensitivity;
import org.gradle.api.tasks.TaskAction;

/** Fails when a type of the public API has no documentation that says what it is. */
public abstract class ApiDocs extends DefaultTask {

  @InputFiles
  @PathSensitive(PathSensitivity.RELATIVE)
  public abstract ConfigurableFileCollection getSources();

  /** What {@link PublicApi} has written. */
  @InputFile
  @PathSensitive(PathSensitivity.NONE)
  public abstract RegularFileProperty getRecord();

  @TaskAction
  void check() throws IOException {
    Set<String> missing =
        Files.readAllLines(getRecord().get().getAsFile().toPath()).stream()
            .map(line -> line.substring(0, line.indexOf(':')))
            .collect(Collectors.toCollection(TreeSet::new));
    missing.removeAll(documented());
    if (!missing.isEmpty()) {
      throw new GradleException(
          "No Javadoc says what these are:\n"
              + String.join("\n", missing)
              + "\nBegin it with a sentence; tags alone are not enough.");
    }
  }

  /** By the names of their classes. */
  private List<String> documented() throws IOException {
    List<String> documented = new ArrayList<>();
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      JavacTask task =
          (JavacTask)
              compiler.getTask(
                  null,
                  files,
                  null,
                  List.of("-proc:none"),
                  null,
                  files.getJavaFileObjectsFromFiles(getSources()));
      DocTrees docs = DocTrees.instance(task);
      for (CompilationUnitTree unit : task.parse()) {
        new Scanner(docs, documented).scan(unit, unit.getPackageName() + ".");
      }
    }
    return documented;
  }

  /** Given what the name of a type begins with. */
  private static final class Scanner extends TreePathScanner<Void, String> {

    private final DocTrees docs;
    private final List<String> documented;

    Scanner(DocTrees docs, List<String> documented) {
      this.docs = docs;
      this.documented = documented;
    }

    @Override
    public Void visitClass(ClassTree type, String before) {
      DocCommentTree text = docs.getDocCommentTree(getCurrentPath());
      String name = before + type.getSimpleName();
      if (text != null && !text.getFirstSentence().isEmpty()) {
        documented.add(name);
      }
      return super.visitClass(type, name + "$");
    }
  }
}
