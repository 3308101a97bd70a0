package dev.baton.maven.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.StringReader;
import java.util.Map;
import java.util.Properties;
import org.codehaus.plexus.util.xml.Xpp3Dom;
import org.codehaus.plexus.util.xml.Xpp3DomBuilder;
import org.codehaus.plexus.util.xml.pull.XmlPullParserException;
import org.junit.jupiter.api.Test;

class PomSettingsTest {

  private static final Map<String, String> BUILD = Map.of("directory", "/work", "build", "app");

  private static PomSettings settings(String xml, String... given) {
    Properties properties = new Properties();
    for (String one : given) {
      properties.setProperty(one.split("=", 2)[0], one.split("=", 2)[1]);
    }
    try {
      Xpp3Dom dom =
          Xpp3DomBuilder.build(new StringReader("<configuration>" + xml + "</configuration>"));
      return PomSettings.of(dom, properties, BUILD, text -> text.replace("${known}", "value"));
    } catch (XmlPullParserException | IOException e) {
      throw new IllegalArgumentException(xml, e);
    }
  }

  @Test
  void namesBecomeThoseOfTheEngine() {
    assertThat(
            settings("<tokenFile>t</tokenFile><waitTimeout>1h</waitTimeout><title>${known}</title>")
                .queue(""))
        .containsEntry("token-file", "t")
        .containsEntry("wait-timeout", "1h")
        .containsEntry("title", "value")
        .containsEntry("directory", "/work")
        .containsEntry("label", "");
  }

  @Test
  void theCommandLineIsStronger() {
    assertThat(settings("<store>file:a#b</store>", "baton.queue=c").queue(""))
        .containsEntry("store", "file:a")
        .containsEntry("queue", "c");
    assertThat(settings("<store>file:a</store><queue>b</queue>", "baton.store=file:x#y").queue(""))
        .containsEntry("store", "file:x#y")
        .doesNotContainKey("queue");
  }

  @Test
  void aNamedQueueTakesWhatItDoesNotSay() {
    PomSettings settings =
        settings(
            "<store>github:octo/app#release</store><tokenFile>t</tokenFile><priority>3</priority>"
                + "<queues><queue><name>lab</name></queue>"
                + "<queue><name>farm</name><store>file:/farm</store><queue>shared</queue>"
                + "<tokenServer>s</tokenServer></queue></queues>",
            "baton.waitTimeout=1m");
    assertThat(settings.queue("lab"))
        .containsEntry("store", "github:octo/app")
        .containsEntry("queue", "lab")
        .containsEntry("token-file", "t")
        .containsEntry("priority", "3")
        .containsEntry("wait-timeout", "1m")
        .containsEntry("label", "lab");
    assertThat(settings.queue("farm"))
        .containsEntry("store", "file:/farm")
        .containsEntry("queue", "shared")
        .containsEntry("token-property", "s")
        .doesNotContainKey("token-file");
    assertThatThrownBy(() -> settings.queue("other")).hasMessageContaining("no queue 'other'");
  }

  @Test
  void guardsAreListsOfNames() {
    PomSettings settings =
        settings(
            "<guards><guard><goals>deploy:deploy, a.b:c-maven-plugin:d</goals></guard>"
                + "<guard><executions><execution>x</execution><execution>y</execution></executions>"
                + "<phases>deploy</phases></guard></guards>");
    assertThat(settings.guards())
        .extracting(Guard::toString)
        .containsExactly(
            "goals deploy:deploy a.b:c-maven-plugin:d", "phases deploy, executions x y");
    assertThat(settings("").configured()).isEmpty();
    assertThat(settings("").guards()).containsExactly(Guard.DEFAULT);
  }

  @Test
  void whatAGoalHasByDefaultIsNotAValue() {
    assertThat(settings("<store>${baton.store}</store>").queue("")).doesNotContainKey("store");
    assertThatThrownBy(() -> settings("<store>${baton.stroe}</store>"))
        .hasMessage("<store> is '${baton.stroe}', and nothing says what that is");
  }

  @Test
  void durationsAreThoseOfTheCommandLine() {
    for (String good : new String[] {"90s", "20m", "1h30m", "2d", "1 h 30 min", "0s"}) {
      assertThat(settings("<waitTimeout>" + good + "</waitTimeout>").queue("")).isNotEmpty();
    }
    for (String bad : new String[] {"90", "-1s", "1w", "PT1H", "m"}) {
      assertThatThrownBy(() -> settings("<waitTimeout>" + bad + "</waitTimeout>"))
          .as(bad)
          .isInstanceOf(BadConfiguration.class);
    }
  }

  @Test
  void whereATokenGoesIsNoMatterOfTheCommandLine() {
    for (String name :
        new String[] {"api", "tokenFile", "tokenVariable", "tokenServer", "caFile"}) {
      assertThatThrownBy(() -> settings("", "baton." + name + "=x"))
          .isInstanceOf(BadConfiguration.class)
          .hasMessageContaining("is not taken from a command line");
    }
  }
}
