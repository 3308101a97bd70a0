package dev.baton;

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
import dev.baton.queue.internal.protocol.Protocol;
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

  private static final String[] PURE = {
    "dev.baton.queue",
    "dev.baton.queue.event..",
    "dev.baton.queue.board..",
    "dev.baton.queue.text..",
    "dev.baton.queue.internal.protocol..",
    "dev.baton.queue.internal.board..",
    "dev.baton.state",
    "dev.baton.state.internal.."
  };

  private static JavaClasses product;

  @BeforeAll
  static void importProduct() throws URISyntaxException, IOException {
    Path main = Path.of(Protocol.class.getProtectionDomain().getCodeSource().getLocation().toURI());
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
            "dev.baton.queue",
            "dev.baton.queue.internal.protocol",
            "dev.baton.queue.internal.codec",
            "dev.baton.queue.internal.engine",
            "dev.baton.queue.internal.board",
            "dev.baton.queue.github",
            "dev.baton.queue.github.internal.http",
            "dev.baton.queue.github.probe",
            "dev.baton.queue.operation",
            "dev.baton.queue.spi",
            "dev.baton.queue.event",
            "dev.baton.queue.board",
            "dev.baton.queue.text",
            "dev.baton.state",
            "dev.baton.state.internal",
            "dev.baton.state.operation",
            "dev.baton.state.spi",
            "dev.baton.state.store");
  }

  @Test
  void apiProtocolAndBoardTouchNoInputOrOutputThreadOrLogger() {
    noClasses()
        .that()
        .resideInAnyPackage(PURE)
        // An exception of input and output itself.
        .and()
        .doNotHaveFullyQualifiedName("dev.baton.queue.QueueException")
        .and()
        .doNotHaveFullyQualifiedName("dev.baton.state.StateException")
        .should()
        .dependOnClassesThat(
            resideInAnyPackage(
                    "java.io..",
                    "java.nio..",
                    "java.net..",
                    "java.util.concurrent..",
                    "java.util.logging..",
                    "org.slf4j..")
                // The name of a character set is no input or output.
                .and(DescribedPredicate.not(resideInAPackage("java.nio.charset"))))
        .orShould()
        .dependOnClassesThat()
        .belongToAnyOf(
            System.class,
            Thread.class,
            Runtime.class,
            ProcessBuilder.class,
            java.time.Clock.class,
            java.util.Random.class,
            java.util.Timer.class)
        .check(product);
  }

  @Test
  void apiProtocolAndBoardAskNoClockAndDrawNoLots() {
    noClasses()
        .that()
        .resideInAnyPackage(PURE)
        // It draws the nonce that recognises it.
        .and()
        .doNotHaveFullyQualifiedName("dev.baton.queue.Request")
        .should()
        .callMethodWhere(asksTheWorld())
        .check(product);
  }

  @Test
  void theEngineReachesTheWorldThroughItsOwnInterfaceAlone() {
    noClasses()
        .that()
        .resideInAPackage("dev.baton.queue.internal.engine..")
        .should()
        .callMethodWhere(asksTheWorld())
        .orShould()
        .callMethod(Thread.class, "sleep", long.class)
        .orShould()
        .callMethod(Object.class, "wait", long.class)
        .orShould()
        .callMethod(Object.class, "wait")
        .orShould()
        .dependOnClassesThat(resideInAnyPackage("java.io..", "java.nio.file..", "java.net.."))
        .orShould()
        .dependOnClassesThat()
        .belongToAnyOf(java.time.Clock.class, java.util.Random.class, java.util.Timer.class)
        .orShould()
        .callConstructor(Thread.class, Runnable.class, String.class)
        .orShould()
        .callConstructor(Thread.class, Runnable.class)
        .orShould()
        .dependOnClassesThat()
        .haveFullyQualifiedName("java.util.concurrent.Executors")
        .check(product);
  }

  @Test
  void nothingSeesJackson() {
    noClasses().should().dependOnClassesThat().resideInAPackage("com.fasterxml..").check(product);
  }

  @Test
  void onlyTheGitHubRoomSeesTheHttpClient() {
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.baton.queue.github..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("okhttp3..", "okio..")
        .check(product);
  }

  @Test
  void theProtocolDependsOnTheRecordsAlone() {
    classes()
        .that()
        .resideInAPackage("dev.baton.queue.internal.protocol..")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "java..",
            "dev.baton.core",
            "dev.baton.queue",
            "dev.baton.queue.parking",
            "dev.baton.queue.text",
            "dev.baton.queue.internal.protocol..")
        .check(product);
  }

  /** A queue is of use without any deployment. */
  @Test
  void nothingOfTheQueueSeesStatesOfDeployments() {
    noClasses()
        .that()
        .resideInAPackage("dev.baton.queue..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("dev.baton.state..")
        .check(product);
  }

  @Test
  void theApiShowsNothingButItselfAndTheJdk() {
    classes()
        .that()
        .resideInAPackage("dev.baton.queue")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "java..",
            "dev.baton.core",
            "dev.baton.queue",
            "dev.baton.queue.parking",
            "dev.baton.queue.event",
            "dev.baton.store")
        .check(product);
  }

  @Test
  void nothingSeesGradle() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("org.gradle..", "groovy..")
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
