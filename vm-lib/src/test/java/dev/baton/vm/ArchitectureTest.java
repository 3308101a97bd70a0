package dev.baton.vm;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.baton.vm.internal.lifecycle.Lifecycle;
import dev.baton.vm.spi.SpaceId;
import dev.baton.vm.spi.VmSpace;
import dev.baton.vm.spi.VmSpaceKind;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.jar.JarFile;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The packages of this module, and what each may see. */
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
            "dev.baton.vm.internal.lifecycle",
            "dev.baton.vm.internal.codec",
            "dev.baton.vm.store",
            "dev.baton.vm.spi",
            "dev.baton.vm.simulated",
            "dev.baton.vm.operation",
            "dev.baton.vm.internal.operation");
  }

  @Test
  void theLifecycleIsPure() {
    classes()
        .that()
        .resideInAPackage("dev.baton.vm.internal.lifecycle..")
        .should()
        .onlyDependOnClassesThat(
            resideInAnyPackage("dev.baton.vm", "dev.baton.vm.internal.lifecycle..")
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
        .resideInAPackage("dev.baton.vm.internal.lifecycle..")
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
        .resideInAnyPackage(
            "dev.baton.vm", "dev.baton.vm.operation..", "dev.baton.vm.internal.operation..")
        .and()
        .doNotHaveFullyQualifiedName("dev.baton.vm.Client")
        .should()
        .callMethodWhere(asksTheWorld())
        .orShould()
        .dependOnClassesThat(
            resideInAnyPackage("java.io..", "java.nio..", "java.net..")
                // The name of a character set is no input or output.
                .and(DescribedPredicate.not(resideInAPackage("java.nio.charset"))))
        .orShould()
        .callMethod(Thread.class, "sleep", long.class)
        .orShould()
        .dependOnClassesThat()
        .belongToAnyOf(java.time.Clock.class, java.util.Random.class, java.util.Timer.class)
        .check(product);
  }

  @Test
  void nothingSeesJackson() {
    noClasses().should().dependOnClassesThat().resideInAPackage("com.fasterxml..").check(product);
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
        .resideInAnyPackage("dev.baton.vm.spi..", "dev.baton.vm.simulated..")
        // Where states are kept is another interface.
        .and()
        .doNotBelongToAnyOf(VmSpace.class, VmSpaceKind.class, SpaceId.class)
        .should()
        .dependOnClassesThat(
            resideInAnyPackage(
                    "dev.baton.vm.operation..",
                    "dev.baton.vm.internal.operation..",
                    "dev.baton.vm.store..",
                    "dev.baton.store..")
                .or(belongToAnyOf(VmSpace.class, VmSpaceKind.class, SpaceId.class)))
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
