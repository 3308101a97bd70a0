package dev.baton.alibaba.account;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.aliyun.credentials.exception.CredentialException;
import com.aliyun.credentials.models.CredentialModel;
import com.aliyun.credentials.provider.AlibabaCloudCredentialsProvider;
import org.junit.jupiter.api.Test;

/** Keys of Alibaba Cloud's own chain, which looks at the environment and home of this process. */
class KeysTest {

  private static Keys chain(AlibabaCloudCredentialsProvider provider) {
    return Keys.chain("/home/ann/.alibabacloud/credentials.ini", () -> provider);
  }

  @Test
  void aChainThatFindsNothingSaysSo() {
    Keys keys =
        chain(
            () -> {
              throw new CredentialException("not found in a file with s3cret in it");
            });
    assertThatThrownBy(keys::pair)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("default chain finds no credentials (CredentialException)")
        .hasMessageContaining("correct what the chain looks at, /home/ann/.alibabacloud")
        .hasMessageNotContaining("s3cret")
        .hasNoCause();
  }

  @Test
  void aTemporaryKeyHasItsToken() {
    CredentialModel found =
        CredentialModel.builder()
            .accessKeyId("STS.x")
            .accessKeySecret("y")
            .securityToken("z")
            .build();
    assertThat(chain(() -> found).pair()).isEqualTo(new Keys.Pair("STS.x", "y", "z"));
  }
}
