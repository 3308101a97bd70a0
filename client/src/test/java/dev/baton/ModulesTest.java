package dev.baton;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.File;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Which module may see which: the table in docs/ARCHITECTURE.md, over the classes of them all. */
class ModulesTest {

  private static final JavaClasses PRODUCT =
      new ClassFileImporter()
          .importPaths(
              Arrays.stream(System.getProperty("modules").split(File.pathSeparator))
                  .map(Path::of)
                  .toList());

  private static final String[] CORE = {"dev.baton.core..", "dev.baton.store.."};
  private static final String QUEUE = "dev.baton.queue..";
  private static final String STATE = "dev.baton.state..";
  private static final String VM = "dev.baton.vm..";
  private static final String CLIENT = "dev.baton.client..";
  private static final String CLI = "dev.baton.cli..";
  private static final String ACTION = "dev.baton.action..";
  private static final String BRIDGE = "dev.baton.plugin.bridge..";
  private static final String LOADER = "dev.baton.plugin.loader..";
  private static final String ENGINE = "dev.baton.plugin.engine..";
  private static final String GRADLE = "dev.baton.gradle..";
  private static final String MAVEN = "dev.baton.maven..";

  /** Each has a package with its name. */
  private static final List<List<String>> ADAPTERS =
      Arrays.stream(System.getProperty("adapters").split(","))
          .map(name -> List.of("dev.baton." + name + ".."))
          .toList();

  private static final String SIM = "dev.baton.githubsim..";
  private static final String DEMO = "dev.baton.demo..";

  static Stream<Arguments> modules() {
    return Stream.concat(
        ADAPTERS.stream().map(adapter -> Arguments.of(adapter, with(QUEUE, STATE, VM))),
        Stream.of(
            Arguments.of(Arrays.asList(CORE), List.of()),
            Arguments.of(List.of(QUEUE, STATE), Arrays.asList(CORE)),
            Arguments.of(List.of(VM), Arrays.asList(CORE)),
            Arguments.of(List.of(CLIENT), with(QUEUE, STATE, VM)),
            Arguments.of(List.of(CLI), with(QUEUE, STATE, VM, CLIENT)),
            Arguments.of(List.of(ACTION), with(QUEUE, STATE, VM, CLIENT)),
            Arguments.of(List.of(BRIDGE), List.of()),
            Arguments.of(List.of(LOADER), List.of(BRIDGE)),
            Arguments.of(List.of(ENGINE), with(QUEUE, STATE, VM, CLIENT, BRIDGE)),
            Arguments.of(List.of(GRADLE), List.of(BRIDGE, LOADER)),
            Arguments.of(List.of(MAVEN), List.of(BRIDGE, LOADER)),
            Arguments.of(List.of(SIM), List.of()),
            Arguments.of(List.of(DEMO), with(QUEUE, STATE, VM, CLIENT, SIM))));
  }

  private static List<String> with(String... more) {
    return Stream.concat(Arrays.stream(CORE), Arrays.stream(more)).toList();
  }

  @Test
  void everyModuleIsLookedAt() {
    for (Arguments module : modules().toList()) {
      for (Object room : (List<?>) module.get()[0]) {
        assertThat(PRODUCT.stream().filter(resideInAPackage((String) room)))
            .as("%s", room)
            .isNotEmpty();
      }
    }
    List<String> known =
        modules().flatMap(m -> ((List<?>) m.get()[0]).stream()).map(String.class::cast).toList();
    assertThat(PRODUCT.stream().filter(resideOutsideOfPackages(known.toArray(String[]::new))))
        .isEmpty();
  }

  @ParameterizedTest
  @MethodSource("modules")
  void aModuleSeesItselfAndWhatItMay(List<String> module, List<String> others) {
    String[] seen = Stream.concat(module.stream(), others.stream()).toArray(String[]::new);
    noClasses()
        .that(resideInAnyPackage(module.toArray(String[]::new)))
        .should()
        .dependOnClassesThat(resideInAPackage("dev.baton..").and(resideOutsideOfPackages(seen)))
        .check(PRODUCT);
  }

  /** Others find an adapter through it, and none by its name. */
  @Test
  void onlyTheRegistryOfAdaptersLoadsServices() {
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.baton.client.adapter")
        .should()
        .dependOnClassesThat()
        .belongToAnyOf(ServiceLoader.class)
        .check(PRODUCT);
  }

  /** Where a build tool loads them, there is nothing else of this repository, and an old Java. */
  @Test
  void theBridgeIsOfTheJdkAlone() {
    classes()
        .that()
        .resideInAnyPackage(BRIDGE, LOADER)
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage("java..", BRIDGE, LOADER)
        .check(PRODUCT);
  }

  /** The simulated GitHub is for tests. */
  @Test
  void onePackageReadsAndWritesJson() {
    noClasses()
        .that()
        .resideOutsideOfPackages("dev.baton.core.json", SIM)
        .should()
        .dependOnClassesThat()
        .resideInAPackage("com.fasterxml..")
        .check(PRODUCT);
  }

  @ParameterizedTest
  @CsvSource({
    "org.gradle.., dev.baton.gradle..",
    "org.apache.maven.., dev.baton.maven..",
    "picocli.., dev.baton.cli..",
    "com.aliyun.., dev.baton.alibaba..",
    "software.amazon.., dev.baton.aws..",
    "com.github.tomakehurst.., dev.baton.githubsim..",
  })
  void oneModuleSees(String foreign, String module) {
    noClasses()
        .that()
        .resideOutsideOfPackage(module)
        .should()
        .dependOnClassesThat()
        .resideInAPackage(foreign)
        .check(PRODUCT);
    assertThat(PRODUCT.stream())
        .as("%s is seen", foreign)
        .anyMatch(
            c ->
                c.getDirectDependenciesFromSelf().stream()
                    .anyMatch(d -> resideInAPackage(foreign).test(d.getTargetClass())));
  }

  @Test
  void nothingOutsideOfALibrarySeesItsInternals() {
    Set<String> seen = new TreeSet<>();
    for (JavaClass c : PRODUCT) {
      for (Dependency d : c.getDirectDependenciesFromSelf()) {
        String to = d.getTargetClass().getPackageName();
        for (String library : List.of("dev.baton.queue", "dev.baton.state", "dev.baton.vm")) {
          boolean inside = (c.getPackageName() + ".").startsWith(library + ".");
          if (!inside && (to + ".").startsWith(library + ".internal.")) {
            seen.add(name(c) + " -> " + name(d.getTargetClass()));
          }
        }
      }
    }
    assertThat(seen).isEmpty();
  }

  private static String name(JavaClass c) {
    return c.getName().replaceFirst("^dev\\.baton\\.", "").replaceFirst("\\$.*", "");
  }

  @Test
  void packagesHaveNoCycles() {
    slices()
        .matching("dev.baton.(**)")
        .should()
        .beFreeOfCycles()
        // A Gradle plugin and its internal package need each other.
        .check(
            PRODUCT.that(resideOutsideOfPackages("dev.baton.gradle", "dev.baton.gradle.internal")));
  }

  @Test
  void noPackageIsTooLarge() {
    assertThat(
            PRODUCT.stream()
                .filter(
                    c -> c.isTopLevelClass() && !c.getPackageName().equals("dev.baton.githubsim"))
                .collect(Collectors.groupingBy(JavaClass::getPackageName, Collectors.counting())))
        .allSatisfy((room, count) -> assertThat(count).as(room).isLessThanOrEqualTo(30));
  }
}
