package dev.baton.cloud;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** The room of OSS: little of it is seen from outside, and it sees no other service. */
class CloudArchitectureTest {
  private static final JavaClasses PRODUCT =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .withImportOption(location -> !location.contains("testFixtures"))
          .withImportOption(location -> !location.contains("test-fixtures"))
          .importPackages("dev.baton.cloud.oss");

  @Test
  void littleIsPublic() {
    assertThat(
            PRODUCT.stream()
                .filter(c -> c.isTopLevelClass() && c.getModifiers().contains(JavaModifier.PUBLIC))
                .map(JavaClass::getSimpleName))
        .isNotEmpty()
        .isSubsetOf(
            "AlibabaAccount",
            "Keys",
            "OssAccess",
            "OssPlace",
            "OssSpace",
            "OssStoreProvider",
            "OssVmSpace",
            "OssVmSpaceKind");
  }

  @Test
  void nothingPublicShowsATypeOfAClient() {
    for (JavaClass c : PRODUCT) {
      if (!c.getModifiers().contains(JavaModifier.PUBLIC)) {
        continue;
      }
      for (JavaMethod m : c.getMethods()) {
        if (m.getModifiers().contains(JavaModifier.PUBLIC)) {
          assertThat(m.getRawReturnType().getName()).doesNotStartWith("com.aliyun");
          assertThat(m.getRawParameterTypes()).noneMatch(p -> p.getName().startsWith("com.aliyun"));
        }
      }
    }
  }

  @Test
  void onlyBucketFilesAndKeysSeeAClient() {
    noClasses()
        .that()
        .haveNameNotMatching("dev\\.baton\\.cloud\\.oss\\.(Bucket|OssFiles|Keys)(\\$.*)?")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("com.aliyun..", "org.apache.http..")
        .check(PRODUCT);
  }

  @Test
  void nothingSeesTheInsideOfTheQueueOrAnotherService() {
    classes()
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "java..",
            "javax.net.ssl..",
            "org.slf4j..",
            "com.aliyun..",
            "org.apache.http..",
            "dev.baton.cloud.oss",
            "dev.baton.store",
            "dev.baton.queue",
            "dev.baton.queue.front",
            "dev.baton.vm",
            "dev.baton.vm.store",
            "dev.baton.vm.front")
        .check(PRODUCT);
  }
}
