package dev.baton;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.AssignmentTree;
import com.sun.source.tree.BinaryTree;
import com.sun.source.tree.CatchTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ConditionalExpressionTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.MemberReferenceTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ParenthesizedTree;
import com.sun.source.tree.SwitchExpressionTree;
import com.sun.source.tree.SwitchTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreeScanner;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;

/**
 * No message of an exception is taken apart, matched or compared: what went wrong is told by the
 * kind of its problem. Read from the sources, since bytecode does not say where a text came from.
 */
class MessagesTest {

  /** The classes that ask a text, each with what it turns into a kind or a value. */
  private static final Map<String, String> INTERPRETERS =
      Map.ofEntries(
          Map.entry("WireFailure", "refusals of GitHub"),
          Map.entry("Remote", "refusals of GitHub"),
          Map.entry("Blocks", "refusals of GitHub"),
          Map.entry("Reply", "the probe: whether GitHub uses the words that Baton knows"),
          Map.entry("ContentsChecks", "the same"),
          Map.entry("RefChecks", "the same"),
          Map.entry("OssTrouble", "failures of OSS"),
          Map.entry("OssFailure", "nothing: a text that only repeats the code is not shown"),
          Map.entry("AwsTrouble", "refusals of AWS that have one code for many things"),
          Map.entry("AwsFailures", "a connection that was never made, which Java says in words"),
          Map.entry("AwsFailure", "nothing: a text that only repeats the code is not shown"),
          Map.entry("Troubles", "errors of ECS"),
          Map.entry("Misuse", "what picocli says about a command line"),
          Map.entry("ExtensionJars", "why Gradle does not find a jar"),
          Map.entry("MachineName", "the name of this machine, which Java tells in a failure"),
          Map.entry("Sentences", "nothing: it makes the first letter a capital"));

  /** Always a text of a failure. */
  private static final Set<String> TEXTS = Set.of("getMessage", "getLocalizedMessage", "said");

  /** A text of a failure where it is asked of an exception or of its problem. */
  private static final Set<String> PARTS = Set.of("what", "next", "text", "toString");

  private static final Set<String> QUESTIONS =
      Set.of(
          "charAt",
          "chars",
          "codePoints",
          "compareTo",
          "contains",
          "contentEquals",
          "endsWith",
          "equals",
          "equalsIgnoreCase",
          "indexOf",
          "lastIndexOf",
          "lines",
          "matcher",
          "matches",
          "regionMatches",
          "replace",
          "replaceAll",
          "replaceFirst",
          "split",
          "startsWith",
          "substring",
          "toCharArray");

  @Test
  void noMessageIsTakenApart() throws IOException {
    List<Path> sources = sources();
    assertThat(sources).hasSizeGreaterThan(300);

    Set<String> found = new TreeSet<>();
    for (CompilationUnitTree unit : parsed(sources.stream().map(Source::of).toList())) {
      found.addAll(violations(unit));
    }

    assertThat(found).isEqualTo(new TreeSet<>(INTERPRETERS.keySet()));
  }

  @Test
  void itIsFoundHoweverItIsDone() throws IOException {
    assertThat(inBody("return e.getMessage().contains(\"x\");")).isNotEmpty();
    assertThat(
            inBody("return java.util.List.of(\"x\").stream().anyMatch(e.getMessage()::contains);"))
        .isNotEmpty();
    assertThat(inBody("String s = \"a\" + e.getMessage(); return s.split(\":\").length > 1;"))
        .isNotEmpty();
    assertThat(inBody("String s; s = String.valueOf(e.getMessage()); return s.endsWith(\".\");"))
        .isNotEmpty();
    assertThat(inBody("return \"x\".equals(e.getMessage());")).isNotEmpty();
    assertThat(inBody("return P.matcher(e.getMessage()).find();")).isNotEmpty();
    assertThat(
            inBody(
                "return cut(1, e.getMessage()); } boolean cut(int n, String s) { return"
                    + " s.matches(\"x\");"))
        .isNotEmpty();
    assertThat(
            inBody(
                "try { f(e); } catch (Bad b) { return b.what().isEmpty() ||"
                    + " b.next().endsWith(\"x\"); }"))
        .isNotEmpty();
    assertThat(inBody("return g().problem().text().startsWith(\"x\");")).isNotEmpty();
    assertThat(inBody("return r.says(\"x\");")).isNotEmpty();
    assertThat(inBody("switch (e.getMessage()) { default: return true; }")).isNotEmpty();
  }

  @Test
  void showingOneIsFine() throws IOException {
    assertThat(
            inBody(
                "String s = e.getMessage() == null ? \"none\" : e.getMessage();"
                    + " System.err.println(\"it failed: \" + s); return s.isEmpty();"))
        .isEmpty();
    assertThat(inBody("String s = e.getMessage(); return \"other\".contains(\"o\");")).isEmpty();
  }

  private static Set<String> inBody(String body) throws IOException {
    String text = "class A { boolean f(Exception e) { " + body + " } }";
    return violations(parsed(List.of(new Source("A", text))).iterator().next());
  }

  // ---- reading

  private static List<Path> sources() throws IOException {
    List<Path> all = new ArrayList<>();
    for (String classes : System.getProperty("modules").split(File.pathSeparator)) {
      Path set = Path.of(classes);
      Path module = set.getParent().getParent().getParent().getParent();
      if (module.endsWith("github-sim")) {
        continue; // it plays the other side
      }
      try (Stream<Path> files =
          Files.walk(module.resolve("src").resolve(set.getFileName()).resolve("java"))) {
        files.filter(f -> f.toString().endsWith(".java")).forEach(all::add);
      }
    }
    return all;
  }

  private static final class Source extends SimpleJavaFileObject {
    private final String text;

    Source(String name, String text) {
      super(URI.create("string:///" + name + ".java"), Kind.SOURCE);
      this.text = text;
    }

    static Source of(Path file) {
      try {
        String name = file.getFileName().toString();
        return new Source(name.substring(0, name.length() - 5), Files.readString(file));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }

  private static Iterable<? extends CompilationUnitTree> parsed(
      List<? extends JavaFileObject> sources) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    return ((JavacTask) compiler.getTask(null, null, null, null, null, sources)).parse();
  }

  // ---- following texts

  private static Set<String> violations(CompilationUnitTree unit) {
    Flow flow = new Flow();
    int known;
    do {
      known = flow.tainted.size();
      flow.found.clear();
      flow.scan(unit, "");
    } while (flow.tainted.size() > known);
    return flow.found;
  }

  /** Within one file: which variables and parameters have a message in them. */
  private static final class Flow extends TreeScanner<Void, String> {
    private final Set<String> tainted = new HashSet<>();
    private final Set<String> caught = new HashSet<>();
    private final Set<String> found = new TreeSet<>();
    private String type = "";

    @Override
    public Void visitClass(ClassTree node, String method) {
      String outer = type;
      if (outer.isEmpty()) {
        type = node.getSimpleName().toString();
      }
      super.visitClass(node, method);
      type = outer;
      return null;
    }

    @Override
    public Void visitMethod(MethodTree node, String method) {
      String own = node.getName() + "/" + node.getParameters().size();
      for (int i = 0; i < node.getParameters().size(); i++) {
        if (tainted.contains(own + "#" + i)) {
          tainted.add(own + " " + node.getParameters().get(i).getName());
        }
      }
      return super.visitMethod(node, own);
    }

    @Override
    public Void visitVariable(VariableTree node, String method) {
      if (node.getInitializer() != null && isMessage(node.getInitializer(), method)) {
        tainted.add(method + " " + node.getName());
      }
      return super.visitVariable(node, method);
    }

    @Override
    public Void visitCatch(CatchTree node, String method) {
      caught.add(method + " " + node.getParameter().getName());
      return super.visitCatch(node, method);
    }

    @Override
    public Void visitAssignment(AssignmentTree node, String method) {
      if (isMessage(node.getExpression(), method)) {
        tainted.add(method + " " + node.getVariable());
      }
      return super.visitAssignment(node, method);
    }

    @Override
    public Void visitMethodInvocation(MethodInvocationTree call, String method) {
      String name = name(call);
      List<? extends ExpressionTree> arguments = call.getArguments();
      boolean asked =
          call.getMethodSelect() instanceof MemberSelectTree select
              && isMessage(select.getExpression(), method);
      boolean given = arguments.stream().anyMatch(a -> isMessage(a, method));
      if (name.equals("says") || QUESTIONS.contains(name) && (asked || given)) {
        found.add(type);
      }
      for (int i = 0; i < arguments.size(); i++) {
        if (call.getMethodSelect() instanceof IdentifierTree
            && isMessage(arguments.get(i), method)) {
          tainted.add(name + "/" + arguments.size() + "#" + i);
        }
      }
      return super.visitMethodInvocation(call, method);
    }

    @Override
    public Void visitMemberReference(MemberReferenceTree node, String method) {
      if (QUESTIONS.contains(node.getName().toString())
          && isMessage(node.getQualifierExpression(), method)) {
        found.add(type);
      }
      return super.visitMemberReference(node, method);
    }

    @Override
    public Void visitSwitch(SwitchTree node, String method) {
      if (isMessage(node.getExpression(), method)) {
        found.add(type);
      }
      return super.visitSwitch(node, method);
    }

    @Override
    public Void visitSwitchExpression(SwitchExpressionTree node, String method) {
      if (isMessage(node.getExpression(), method)) {
        found.add(type);
      }
      return super.visitSwitchExpression(node, method);
    }

    private static String name(MethodInvocationTree call) {
      return call.getMethodSelect() instanceof MemberSelectTree select
          ? select.getIdentifier().toString()
          : call.getMethodSelect().toString();
    }

    private boolean isOfFailure(MethodInvocationTree call, String method) {
      if (!(call.getMethodSelect() instanceof MemberSelectTree select)) {
        return false;
      }
      ExpressionTree of = select.getExpression();
      return of instanceof MethodInvocationTree inner && name(inner).equals("problem")
          || of instanceof IdentifierTree i && caught.contains(method + " " + i.getName());
    }

    private boolean isMessage(Tree e, String method) {
      if (e instanceof ParenthesizedTree p) {
        return isMessage(p.getExpression(), method);
      } else if (e instanceof BinaryTree b) {
        return b.getKind() == Tree.Kind.PLUS
            && (isMessage(b.getLeftOperand(), method) || isMessage(b.getRightOperand(), method));
      } else if (e instanceof ConditionalExpressionTree c) {
        return isMessage(c.getTrueExpression(), method)
            || isMessage(c.getFalseExpression(), method);
      } else if (e instanceof IdentifierTree i) {
        return tainted.contains(method + " " + i.getName());
      } else if (e instanceof MethodInvocationTree call) {
        String name = name(call);
        return TEXTS.contains(name)
            || PARTS.contains(name) && isOfFailure(call, method)
            || name.equals("valueOf")
                && call.getArguments().stream().anyMatch(a -> isMessage(a, method))
            || Set.of("strip", "trim", "toLowerCase", "toUpperCase").contains(name)
                && call.getMethodSelect() instanceof MemberSelectTree select
                && isMessage(select.getExpression(), method);
      }
      return false;
    }
  }
}
