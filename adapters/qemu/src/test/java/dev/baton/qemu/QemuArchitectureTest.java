package dev.baton.qemu;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** A node that knows nothing of clouds, and a cloud above it. */
class QemuArchitectureTest {
  private static final JavaClasses PRODUCT =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("dev.baton.qemu");

  @Test
  void theNodeKnowsNoCloud() {
    classes()
        .that()
        .resideInAPackage("dev.baton.qemu.node")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "java..", "dev.baton.core", "dev.baton.core.json", "dev.baton.qemu.node")
        .check(PRODUCT);
  }

  @Test
  void theCloudSeesTheSpiAndTheNode() {
    classes()
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "java..",
            "dev.baton.core",
            "dev.baton.core.adapter",
            "dev.baton.core.json",
            "dev.baton.qemu..",
            "dev.baton.vm",
            "dev.baton.vm.spi")
        .check(PRODUCT);
  }

  /** Every program is started in one place, from a list of arguments. */
  @Test
  void onlyTheHostStartsPrograms() {
    noClasses()
        .that()
        .haveNameNotMatching("dev\\.baton\\.qemu\\.node\\.LinuxHost(\\$.*)?")
        .should()
        .dependOnClassesThat()
        .haveFullyQualifiedName("java.lang.ProcessBuilder")
        .orShould()
        .dependOnClassesThat()
        .haveFullyQualifiedName("java.lang.Runtime")
        .check(PRODUCT);
  }
}
