package dev.baton.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProxiesTest {
  private static final URI OSS = URI.create("https://oss-cn-hangzhou.aliyuncs.com");

  @Test
  void lowerCaseComesFirstAndEachSchemeHasItsOwn() {
    Proxies some =
        Proxies.of(
            Map.of(
                "https_proxy", "http://lower:3128",
                "HTTPS_PROXY", "http://upper:3128",
                "HTTP_PROXY", "plain"));
    assertThat(some.to(OSS)).hasToString("Optional[lower:3128]");
    assertThat(some.to(URI.create("http://example.com"))).hasToString("Optional[plain:80]");
    assertThat(Proxies.NONE.to(OSS)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "*|true",
        "aliyuncs.com|true",
        ".aliyuncs.com|true",
        "*.aliyuncs.com|true",
        "example.com, OSS-cn-hangzhou.aliyuncs.com|true",
        "aliyuncs.com:443|true",
        "aliyuncs.com:8443|false",
        "yuncs.com|false",
        "example.com|false"
      })
  void exceptions(String list, boolean direct) {
    Proxies some = Proxies.of(Map.of("HTTPS_PROXY", "http://p:1", "NO_PROXY", list));
    assertThat(some.to(OSS).isEmpty()).isEqualTo(direct);
  }

  @ParameterizedTest
  @ValueSource(strings = {"https://127.0.0.1:9", "https://localhost", "https://[::1]:9"})
  void whatIsHereIsNeverBehindAProxy(String here) {
    assertThat(Proxies.of(Map.of("HTTPS_PROXY", "http://p:1")).to(URI.create(here))).isEmpty();
  }

  @Test
  void aPasswordIsUsedAndNotShown() {
    Proxies some = Proxies.of(Map.of("HTTPS_PROXY", "http://ann:p%40ss+1@proxy:8080"));
    Proxies.Hop hop = some.to(OSS).orElseThrow();
    assertThat(hop.user()).isEqualTo("ann");
    assertThat(hop.password()).isEqualTo("p@ss+1");
    assertThat(hop).hasToString("proxy:8080");
    assertThat(hop + " " + some).doesNotContain("ss");
  }

  @ParameterizedTest
  @ValueSource(strings = {"socks5://ann:s3cret@p:1", "http://ann:s3cret@", "http://ann:s3 cret@p"})
  void whatIsNoProxyIsRefusedAndNotRepeated(String text) {
    assertThatThrownBy(() -> Proxies.of(Map.of("HTTPS_PROXY", text)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("HTTPS_PROXY")
        .hasMessageNotContaining("s3")
        .hasNoCause();
  }
}
