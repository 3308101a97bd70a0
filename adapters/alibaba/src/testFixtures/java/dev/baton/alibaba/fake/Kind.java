package dev.baton.alibaba.fake;

/** What there is in an account. */
public enum Kind {
  VPC("vpc", "VpcId", "InvalidVpcId.NotFound", "QuotaExceeded.Vpc"),
  VSWITCH("vsw", "VSwitchId", "InvalidVSwitchId.NotFound", "QuotaExceeded.VSwitch"),
  SECURITY_GROUP(
      "sg", "SecurityGroupId", "InvalidSecurityGroupId.NotFound", "QuotaExceed.SecurityGroup"),
  KEY_PAIR("", "KeyPairName", "InvalidKeyPair.NotFound", "QuotaExceed.KeyPair"),
  INSTANCE("i", "InstanceId", "InvalidInstanceId.NotFound", "QuotaExceed.AfterpayInstance"),
  DISK("d", "DiskId", "InvalidDiskId.NotFound", "QuotaExceed.Disk"),
  EIP("eip", "AllocationId", "InvalidAllocationId.NotFound", "QuotaExceeded.Eip"),
  SNAPSHOT("s", "SnapshotId", "InvalidSnapshotId.NotFound", "QuotaExceed.Snapshot"),
  IMAGE("m", "ImageId", "InvalidImageId.NotFound", "QuotaExceed.Image"),
  INVOCATION("t", "InvokeId", "InvalidInvokeId.NotFound", "QuotaExceed.Invocation");

  final String prefix;
  final String idField;
  final String missing;
  final String quota;

  Kind(String prefix, String idField, String missing, String quota) {
    this.prefix = prefix;
    this.idField = idField;
    this.missing = missing;
    this.quota = quota;
  }
}
