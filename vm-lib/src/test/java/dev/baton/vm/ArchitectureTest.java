package dev.baton.vm;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.baton.vm.lifecycle.Lifecycle;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.jar.JarFile;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The rooms of this module, and which doors between them stay shut. */
class ArchitectureTest {

  private static JavaClasses product;

  @BeforeAll
  static void importProduct() throws URISyntaxException, IOException {
    Path main =
        Path.of(Lifecycle.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    if (Files.isDirectory(main)) {
      product = new ClassFileImporter().importPath(main);
    } else {
      try (JarFile jar = new JarFile(main.toFile())) {
        product = new ClassFileImporter().importJar(jar);
      }
    }
  }

  @Test
  void everyRoomIsLookedAt() {
    assertThat(product.stream().map(c -> c.getPackageName()).distinct())
        .contains(
            "dev.baton.vm",
            "dev.baton.vm.lifecycle",
            "dev.baton.vm.codec",
            "dev.baton.vm.store",
            "dev.baton.vm.provider",
            "dev.baton.vm.provider.simulated",
            "dev.baton.vm.operation");
  }

  @Test
  void theLifecycleIsPure() {
    classes()
        .that()
        .resideInAPackage("dev.baton.vm.lifecycle..")
        .should()
        .onlyDependOnClassesThat(
            resideInAnyPackage("dev.baton.vm", "dev.baton.vm.lifecycle..")
                .or(
                    resideInAnyPackage(
                        "java.lang",
                        "java.lang.invoke",
                        "java.lang.runtime",
                        "java.util",
                        "java.util.function",
                        "java.util.stream")))
        .check(product);
    noClasses()
        .that()
        .resideInAPackage("dev.baton.vm.lifecycle..")
        .should()
        .dependOnClassesThat()
        .belongToAnyOf(System.class, Thread.class, Runtime.class, java.util.Random.class)
        .orShould()
        .callMethodWhere(asksTheWorld())
        .check(product);
  }

  @Test
  void operationsReachTheWorldThroughItsInterfaceAlone() {
    noClasses()
        .that()
        .resideInAPackage("dev.baton.vm.operation..")
        .and()
        .doNotHaveFullyQualifiedName("dev.baton.vm.operation.Client")
        .should()
        .callMethodWhere(asksTheWorld())
        .orShould()
        .dependOnClassesThat(resideInAnyPackage("java.io..", "java.nio..", "java.net.."))
        .orShould()
        .callMethod(Thread.class, "sleep", long.class)
        .orShould()
        .dependOnClassesThat()
        .belongToAnyOf(java.time.Clock.class, java.util.Random.class, java.util.Timer.class)
        .check(product);
  }

  @Test
  void onlyTheCodecSeesJackson() {
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.baton.vm.codec..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("com.fasterxml..")
        .check(product);
  }

  @Test
  void theApiShowsNothingButItselfAndTheJdk() {
    classes()
        .that()
        .resideInAPackage("dev.baton.vm")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage("java..", "dev.baton.core", "dev.baton.vm")
        .check(product);
  }

  @Test
  void theProviderInterfaceKnowsNeitherStoresNorOperations() {
    noClasses()
        .that()
        .resideInAPackage("dev.baton.vm.provider..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("dev.baton.vm.operation..", "dev.baton.vm.store..", "dev.baton.store..")
        .check(product);
  }

  @Test
  void packagesHaveNoCycles() {
    slices().matching("dev.baton.(**)").should().beFreeOfCycles().check(product);
  }

  private static DescribedPredicate<JavaCall<?>> asksTheWorld() {
    Set<String> asked =
        Set.of(
            "java.lang.System.nanoTime",
            "java.lang.System.currentTimeMillis",
            "java.lang.System.getenv",
            "java.lang.System.getProperty",
            "java.lang.Math.random",
            "java.util.UUID.randomUUID",
            "java.util.concurrent.ThreadLocalRandom.current");
    return DescribedPredicate.describe(
        "ask a clock, the environment or chance",
        call -> {
          String owner = call.getTargetOwner().getFullName();
          return asked.contains(owner + "." + call.getName())
              || owner.startsWith("java.time.") && call.getName().equals("now");
        });
  }
}
