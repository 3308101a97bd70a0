package dev.baton.alibaba;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * The rooms: an account that all see, OSS and the API of machines that do not see each other, and
 * the setup above them.
 */
class CloudArchitectureTest {
  private static final JavaClasses PRODUCT =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .withImportOption(location -> !location.contains("testFixtures"))
          .withImportOption(location -> !location.contains("test-fixtures"))
          .importPackages("dev.baton.alibaba");

  private static final String ACCOUNT = "dev.baton.alibaba.account";
  private static final String ALIYUN = "dev.baton.alibaba.ecs";
  private static final String INIT = "dev.baton.alibaba.setup";
  private static final String OSS = "dev.baton.alibaba.oss";

  private static final Map<String, List<String>> SEEN =
      Map.of(
          "dev.baton.alibaba",
          List.of("AlibabaAdapter"),
          ACCOUNT,
          List.of(
              "AlibabaAccount",
              "CredentialsFile",
              "Endpoint",
              "Keys",
              "OwnFiles",
              "Region",
              "TeaClients"),
          ALIYUN,
          List.of("AliyunCloudKind"),
          INIT,
          List.of("AliyunSetup"),
          OSS,
          List.of(
              "OssAccess",
              "OssPlace",
              "OssSpace",
              "OssStoreProvider",
              "OssVmSpace",
              "OssVmSpaceKind",
              "StateBucket"));

  @Test
  void everyRoomIsLookedAtAndLittleIsPublic() {
    assertThat(PRODUCT.stream().map(JavaClass::getPackageName).distinct())
        .containsExactlyInAnyOrderElementsOf(SEEN.keySet());
    SEEN.forEach(
        (room, names) ->
            assertThat(
                    PRODUCT.stream()
                        .filter(c -> c.getPackageName().equals(room) && c.isTopLevelClass())
                        .filter(c -> c.getModifiers().contains(JavaModifier.PUBLIC))
                        .map(JavaClass::getSimpleName))
                .as(room)
                .containsExactlyInAnyOrderElementsOf(names));
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
  void onlyThoseWhoAskSeeAClient() {
    noClasses()
        .that()
        .haveNameNotMatching(
            "dev\\.baton\\.alibaba\\."
                + "(oss\\.(OssClient|Bucket|OssFiles|StateBucket)"
                + "|account\\.(Keys|CliProfile|TeaClients)"
                + "|setup\\.Sts"
                + "|ecs\\.(Api|Networks|AccessResources|Machines|Scripts|Stock))(\\$.*)?")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("com.aliyun..", "org.apache.http..")
        .check(PRODUCT);
  }

  /** So that no two of them are set up in two ways. */
  @Test
  void oneClassMakesClientsOfOss() {
    noClasses()
        .that()
        .haveNameNotMatching("dev\\.baton\\.alibaba\\.oss\\.OssClient(\\$.*)?")
        .should()
        .dependOnClassesThat()
        .haveFullyQualifiedName("com.aliyun.oss.OSSClientBuilder")
        .check(PRODUCT);
  }

  @Test
  void ossAndTheApiOfMachinesDoNotSeeEachOther() {
    noClasses()
        .that()
        .resideInAPackage(ALIYUN)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(OSS, INIT)
        .check(PRODUCT);
    noClasses()
        .that()
        .resideInAPackage(OSS)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(ALIYUN, INIT)
        .check(PRODUCT);
    noClasses()
        .that()
        .resideInAPackage(ACCOUNT)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(OSS, ALIYUN, INIT)
        .check(PRODUCT);
    slices().matching("dev.baton.alibaba.(*)").should().beFreeOfCycles().check(PRODUCT);
  }

  @Test
  void nothingSeesTheInsideOfTheQueueOrOfTheLifecycle() {
    classes()
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "java..",
            "javax.net.ssl..",
            "org.slf4j..",
            "com.aliyun..",
            "org.apache.http..",
            "okhttp3..",
            "dev.baton.alibaba..",
            "dev.baton.core",
            "dev.baton.core.adapter",
            "dev.baton.core.json",
            "dev.baton.core.probe",
            "dev.baton.store",
            "dev.baton.queue.spi",
            "dev.baton.vm",
            "dev.baton.vm.spi")
        .check(PRODUCT);
  }
}
