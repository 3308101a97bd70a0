package dev.baton.cloud.fake;

/** What there is in an account. */
public enum Kind {
  VPC("vpc", "InvalidVpcId.NotFound", "QuotaExceeded.Vpc"),
  VSWITCH("vsw", "InvalidVSwitchId.NotFound", "QuotaExceeded.VSwitch"),
  SECURITY_GROUP("sg", "InvalidSecurityGroupId.NotFound", "QuotaExceed.SecurityGroup"),
  KEY_PAIR("", "InvalidKeyPair.NotFound", "QuotaExceed.KeyPair"),
  INSTANCE("i", "InvalidInstanceId.NotFound", "QuotaExceed.AfterpayInstance"),
  DISK("d", "InvalidDiskId.NotFound", "QuotaExceed.Disk"),
  EIP("eip", "InvalidAllocationId.NotFound", "QuotaExceeded.Eip"),
  SNAPSHOT("s", "InvalidSnapshotId.NotFound", "QuotaExceed.Snapshot"),
  IMAGE("m", "InvalidImageId.NotFound", "QuotaExceed.Image"),
  INVOCATION("t", "InvalidInvokeId.NotFound", "QuotaExceed.Invocation");

  final String prefix;
  final String missing;
  final String quota;

  Kind(String prefix, String missing, String quota) {
    this.prefix = prefix;
    this.missing = missing;
    this.quota = quota;
  }
}
