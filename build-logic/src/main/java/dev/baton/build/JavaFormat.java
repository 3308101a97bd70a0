package dev.baton.build;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.inject.Inject;
import org.gradle.api.DefaultTask;
import org.gradle.api.GradleException;
import org.gradle.api.file.ConfigurableFileCollection;
import org.gradle.api.file.RegularFileProperty;
import org.gradle.api.provider.Property;
import org.gradle.api.tasks.CacheableTask;
import org.gradle.api.tasks.Classpath;
import org.gradle.api.tasks.IgnoreEmptyDirectories;
import org.gradle.api.tasks.Input;
import org.gradle.api.tasks.InputFiles;
import org.gradle.api.tasks.OutputFile;
import org.gradle.api.tasks.PathSensitive;
import org.gradle.api.tasks.PathSensitivity;
import org.gradle.api.tasks.SkipWhenEmpty;
import org.gradle.api.tasks.TaskAction;
import org.gradle.process.ExecOperations;

/** Runs google-java-format over the sources: checks them, or rewrites them in place. */
@CacheableTask
public abstract class JavaFormat extends DefaultTask {

  /** The formatter reads the compiler's own syntax tree, which a JDK does not open by itself. */
  private static final List<String> OPENED =
      Stream.of("api", "code", "file", "parser", "tree", "util")
          .map(p -> "--add-exports=jdk.compiler/com.sun.tools.javac." + p + "=ALL-UNNAMED")
          .toList();

  @Inject
  protected abstract ExecOperations getExec();

  @InputFiles
  @SkipWhenEmpty
  @IgnoreEmptyDirectories
  @PathSensitive(PathSensitivity.RELATIVE)
  public abstract ConfigurableFileCollection getSources();

  @Classpath
  public abstract ConfigurableFileCollection getFormatter();

  /** True: rewrite the files. False: fail when one would change. */
  @Input
  public abstract Property<Boolean> getApply();

  @OutputFile
  public abstract RegularFileProperty getReport();

  @TaskAction
  void run() throws IOException {
    List<String> arguments = new ArrayList<>();
    arguments.addAll(
        getApply().get() ? List.of("--replace") : List.of("--dry-run", "--set-exit-if-changed"));
    getSources().getFiles().stream().map(File::getPath).sorted().forEach(arguments::add);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int exit =
        getExec()
            .javaexec(
                java -> {
                  java.setClasspath(getFormatter());
                  java.getMainClass().set("com.google.googlejavaformat.java.Main");
                  java.setJvmArgs(OPENED);
                  java.setArgs(arguments);
                  java.setStandardOutput(out);
                  java.setErrorOutput(err);
                  java.setIgnoreExitValue(true);
                })
            .getExitValue();
    String found = out.toString(StandardCharsets.UTF_8);
    if (exit != 0) {
      throw new GradleException(
          (found + err.toString(StandardCharsets.UTF_8)).strip()
              + "\nThese files are not formatted. Run ./gradlew format.");
    }
    Files.writeString(getReport().get().getAsFile().toPath(), found);
  }
}
