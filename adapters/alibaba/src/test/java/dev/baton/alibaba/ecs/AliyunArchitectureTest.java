package dev.baton.alibaba.ecs;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** Who sees what. */
class AliyunArchitectureTest {
  private static final JavaClasses PRODUCT =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("dev.baton.alibaba.ecs");

  @Test
  void onlyTheWayInIsPublic() {
    assertThat(
            PRODUCT.stream()
                .filter(c -> c.isTopLevelClass() && c.getModifiers().contains(JavaModifier.PUBLIC))
                .map(JavaClass::getSimpleName))
        .containsExactly("AliyunCloudKind");
  }

  @Test
  void onlyThoseWhoAskTheApiSeeItsClients() {
    noClasses()
        .that()
        .haveNameNotMatching(
            "dev\\.baton\\.alibaba\\.ecs\\.(Api|Networks|AccessResources|Machines|Scripts|Stock)(\\$.*)?")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("com.aliyun..")
        .check(PRODUCT);
  }

  @Test
  void nothingSeesTheInsideOfTheLifecycle() {
    classes()
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "java..",
            "org.slf4j..",
            "com.aliyun..",
            "dev.baton.alibaba.ecs",
            "dev.baton.alibaba.account",
            "dev.baton.core",
            "dev.baton.core.json",
            "dev.baton.vm",
            "dev.baton.vm.spi")
        .check(PRODUCT);
  }
}
