package dev.baton;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.baton.core.World;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarFile;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The packages of this module, and what each may see. */
class CoreArchitectureTest {

  private static JavaClasses product;

  @BeforeAll
  static void importProduct() throws URISyntaxException, IOException {
    Path main = Path.of(World.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    if (Files.isDirectory(main)) {
      product = new ClassFileImporter().importPath(main);
    } else {
      try (JarFile jar = new JarFile(main.toFile())) {
        product = new ClassFileImporter().importJar(jar);
      }
    }
  }

  @Test
  void everyPackageIsLookedAt() {
    assertThat(product.stream().map(c -> c.getPackageName()).distinct())
        .containsExactlyInAnyOrder(
            "dev.baton.core",
            "dev.baton.core.adapter",
            "dev.baton.core.json",
            "dev.baton.core.probe",
            "dev.baton.store");
  }

  @Test
  void theModuleSeesTheJdkAndJacksonAlone() {
    classes()
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "java..", "dev.baton.core..", "dev.baton.store..", "com.fasterxml.jackson.core..")
        .check(product);
  }

  @Test
  void onlyJsonSeesJackson() {
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.baton.core.json..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("com.fasterxml..")
        .check(product);
  }

  @Test
  void theStoreDependsOnTheJdkAndCoreAlone() {
    classes()
        .that()
        .resideInAPackage("dev.baton.store..")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage("java..", "dev.baton.core", "dev.baton.store..")
        .check(product);
  }

  @Test
  void packagesHaveNoCycles() {
    slices().matching("dev.baton.(**)").should().beFreeOfCycles().check(product);
  }
}
