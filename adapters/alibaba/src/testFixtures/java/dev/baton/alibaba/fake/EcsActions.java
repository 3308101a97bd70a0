package dev.baton.alibaba.fake;

import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;

/** Machines, and what belongs to them. */
final class EcsActions {
  private static final Listing INSTANCES =
      new Listing(
          Kind.INSTANCE,
          "Instances",
          "Instance",
          "InstanceIds",
          Map.of("InstanceName", "InstanceName", "Status", "Status", "ZoneId", "ZoneId"),
          100);
  private static final Listing GROUPS =
      new Listing(
          Kind.SECURITY_GROUP,
          "SecurityGroups",
          "SecurityGroup",
          "SecurityGroupIds",
          Map.of("VpcId", "VpcId", "SecurityGroupName", "SecurityGroupName"),
          100);
  private static final Listing KEY_PAIRS =
      new Listing(
          Kind.KEY_PAIR,
          "KeyPairs",
          "KeyPair",
          "KeyPairNames",
          Map.of("KeyPairName", "KeyPairName"),
          50);
  private static final Listing DISKS =
      new Listing(
          Kind.DISK,
          "Disks",
          "Disk",
          "DiskIds",
          Map.of("InstanceId", "InstanceId", "DiskType", "Type", "DiskName", "DiskName"),
          100);
  private static final Listing SNAPSHOTS =
      new Listing(
          Kind.SNAPSHOT,
          "Snapshots",
          "Snapshot",
          "SnapshotIds",
          Map.of(
              "SnapshotName", "SnapshotName", "DiskId", "SourceDiskId", "InstanceId", "InstanceId"),
          100);
  private static final Listing IMAGES =
      new Listing(
          Kind.IMAGE,
          "Images",
          "Image",
          "ImageId",
          Map.of("ImageName", "ImageName", "ImageOwnerAlias", "ImageOwnerAlias"),
          100);

  private static final Set<String> DISKS_FOR_SALE =
      Set.of(
          "cloud", "cloud_efficiency", "cloud_ssd", "cloud_essd", "cloud_auto", "cloud_essd_entry");

  /** Of a command, encoded. */
  private static final int LONGEST_COMMAND = 18 * 1024;

  private final Account account;
  private final VpcActions addresses;

  /** What a command on a machine says: exit code and output. */
  BiFunction<String, String, Map.Entry<Integer, String>> commands = (id, text) -> Map.entry(0, "");

  EcsActions(Account account, VpcActions addresses) {
    this.account = account;
    this.addresses = addresses;
  }

  /**
   * @return null when it is none of these
   */
  Map<String, Object> run(ApiCall call) {
    return switch (call.action()) {
      case "RunInstances" -> runInstances(call);
      case "DescribeInstances" -> INSTANCES.answer(call, account, this::shown);
      case "StartInstance" -> start(call);
      case "StopInstance" -> stop(call);
      case "DeleteInstance" -> deleteInstance(call);
      case "ModifyInstanceAutoReleaseTime" -> modifyRelease(call);
      case "CreateSecurityGroup" -> createGroup(call);
      case "AuthorizeSecurityGroup" -> authorize(call);
      case "DescribeSecurityGroups" -> GROUPS.answer(call, account, this::shown);
      case "DescribeSecurityGroupAttribute" -> rules(call);
      case "DeleteSecurityGroup" -> delete(Kind.SECURITY_GROUP, call.require("SecurityGroupId"));
      case "ImportKeyPair" -> importKeyPair(call);
      case "DescribeKeyPairs" -> KEY_PAIRS.answer(call, account, this::shown);
      case "DeleteKeyPairs" -> deleteKeyPairs(call);
      case "DescribeDisks" -> DISKS.answer(call, account, this::shown);
      case "CreateSnapshot" -> createSnapshot(call);
      case "DescribeSnapshots" -> SNAPSHOTS.answer(call, account, this::shown);
      case "DeleteSnapshot" -> deleteSnapshot(call);
      case "CreateImage" -> createImage(call);
      case "DescribeImages" -> IMAGES.answer(call, account, this::shown);
      case "DeleteImage" -> deleteImage(call);
      case "TagResources" -> tag(call);
      case "RunCommand" -> runCommand(call);
      case "DescribeInvocationResults" -> results(call);
      default -> null;
    };
  }

  private Map<String, Object> shown(Thing thing) {
    Map<String, Object> all = new LinkedHashMap<>(thing.fields);
    all.put("CreationTime", FakeAliyun.SECONDS.format(thing.created));
    all.put("Tags", thing.tagList("TagKey", "TagValue"));
    String status = thing.status(account.now());
    if (thing.kind == Kind.SNAPSHOT) {
      boolean done = status.equals("accomplished");
      all.put("Progress", done ? "100%" : "42%");
      all.put("Available", done);
    }
    if (!status.isEmpty()) {
      all.put("Status", status);
    }
    if (thing.kind == Kind.INSTANCE) {
      // Only of one that stands still is it said how.
      all.put(
          "StoppedMode", status.equals("Stopped") ? thing.text("StoppedMode") : "Not-applicable");
      for (Thing user : account.usersOf(thing)) {
        if (user.kind == Kind.EIP) {
          all.put(
              "EipAddress", Map.of("AllocationId", user.id, "IpAddress", user.text("IpAddress")));
        }
      }
    }
    return all;
  }

  // ---- machines

  private Map<String, Object> runInstances(ApiCall call) {
    String type = call.require("InstanceType");
    String image = call.require("ImageId");
    if (!FakeAliyun.TYPES.contains(type)) {
      throw new ApiRefusal(
          400,
          "InvalidInstanceType.ValueNotSupported",
          "The specified InstanceType beyond the permitted range.");
    }
    Thing from = account.get(Kind.IMAGE, image);
    if (!from.status(account.now()).equals("Available")) {
      throw new ApiRefusal(400, "IncorrectImageStatus", "The image is not available yet.");
    }
    requireDisk(call, from);
    Thing vswitch = account.get(Kind.VSWITCH, call.require("VSwitchId"));
    if (!vswitch.status(account.now()).equals("Available")) {
      throw new ApiRefusal(400, "IncorrectVSwitchStatus", "The vSwitch is not available.");
    }
    Thing group = account.get(Kind.SECURITY_GROUP, call.require("SecurityGroupId"));
    if (!group.text("VpcId").equals(vswitch.text("VpcId"))) {
      throw new ApiRefusal(
          400, "InvalidSecurityGroupId.VPCMismatch", "The group is in another VPC.");
    }
    Optional<Thing> key = Optional.empty();
    if (!call.get("KeyPairName").isEmpty()) {
      key = Optional.of(account.get(Kind.KEY_PAIR, call.get("KeyPairName")));
    }
    String zone = vswitch.text("ZoneId");
    if (!call.get("ZoneId").isEmpty() && !call.get("ZoneId").equals(zone)) {
      throw new ApiRefusal(
          400, "InvalidParameter.Mismatch", "Specified virtual switch is not in the zone.");
    }
    String release = checkedRelease(call);
    requireStock(type, zone);
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < call.number("Amount", 1, 100); i++) {
      ids.add(runInstance(call, type, zone, vswitch, group, key, release).id);
    }
    return Map.of("InstanceIdSets", Map.of("InstanceIdSet", ids));
  }

  private static void requireDisk(ApiCall call, Thing image) {
    String category = call.get("SystemDisk.Category");
    if (!category.isEmpty() && !DISKS_FOR_SALE.contains(category)) {
      throw new ApiRefusal(
          400,
          "InvalidSystemDiskCategory.ValueNotSupported",
          "The specified parameter SystemDisk.Category is not valid.");
    }
    call.words("SystemDisk.DiskName", 128, "\\p{L}[\\p{L}\\p{N}._:-]*");
    int size = call.number("SystemDisk.Size", 40, 2048);
    if (size < Integer.parseInt(image.text("Size"))) {
      throw new ApiRefusal(
          404,
          "InvalidSystemDiskSize.LessThanImageSize",
          "The specified SystemDisk.Size is less than the image.");
    }
  }

  private Thing runInstance(
      ApiCall call,
      String type,
      String zone,
      Thing vswitch,
      Thing group,
      Optional<Thing> key,
      String release) {
    Thing made = account.create(Kind.INSTANCE, "", "Pending", "Running");
    made.uses.put("vswitch", vswitch);
    made.uses.put("group", group);
    made.tags.putAll(call.tags());
    made.fields.put("InstanceId", made.id);
    made.fields.put("InstanceName", call.name("InstanceName"));
    made.fields.put("Description", call.description());
    made.fields.put("InstanceType", type);
    made.fields.put("ImageId", call.get("ImageId"));
    made.fields.put("RegionId", call.get("RegionId"));
    made.fields.put("ZoneId", zone);
    made.fields.put("KeyPairName", key.map(k -> k.id).orElse(""));
    made.fields.put("AutoReleaseTime", release);
    made.fields.put("StoppedMode", "");
    made.fields.put("SecurityGroupIds", Map.of("SecurityGroupId", List.of(group.id)));
    made.fields.put(
        "VpcAttributes",
        Map.of(
            "VpcId", vswitch.text("VpcId"),
            "VSwitchId", vswitch.id,
            "PrivateIpAddress", Map.of("IpAddress", List.of("10.0.0." + account.things.size()))));
    Thing disk = account.create(Kind.DISK, "", "In_use", null);
    disk.fields.put("DiskId", disk.id);
    disk.fields.put("InstanceId", made.id);
    disk.fields.put("Type", "system");
    disk.fields.put("DeleteWithInstance", true);
    String size = call.get("SystemDisk.Size");
    disk.fields.put("Size", size.isEmpty() ? 40 : Integer.parseInt(size));
    return made;
  }

  private void requireStock(String type, String zone) {
    if (account.soldOut.contains(type + " " + zone) || account.soldOut.contains(type)) {
      throw new ApiRefusal(
          403,
          "OperationDenied.NoStock",
          "The requested resource is sold out in the specified zone; try other types of resources"
              + " or other regions and zones.");
    }
  }

  private String checkedRelease(ApiCall call) {
    String text = call.get("AutoReleaseTime");
    if (text.isEmpty()) {
      return "";
    }
    Instant time;
    try {
      time = Instant.parse(text);
    } catch (DateTimeException e) {
      throw new ApiRefusal(400, "InvalidAutoReleaseTime.Malformed", "It is not well-formed.");
    }
    if (time.isBefore(account.now().plus(Duration.ofMinutes(30)))
        || time.isAfter(account.now().plus(Duration.ofDays(3 * 365)))) {
      throw new ApiRefusal(
          400, "InvalidAutoReleaseTime.NotSupported", "It must be 30 minutes to 3 years ahead.");
    }
    return text;
  }

  private Map<String, Object> modifyRelease(ApiCall call) {
    Thing instance = account.get(Kind.INSTANCE, call.require("InstanceId"));
    instance.fields.put("AutoReleaseTime", checkedRelease(call));
    return Map.of();
  }

  /** What the cloud does of its own accord. */
  void releaseOverdue() {
    for (Thing instance : account.all(Kind.INSTANCE)) {
      String time = instance.text("AutoReleaseTime");
      if (!time.isEmpty() && !account.now().isBefore(Instant.parse(time))) {
        take(instance);
      }
    }
  }

  private Map<String, Object> start(ApiCall call) {
    Thing instance = account.get(Kind.INSTANCE, call.require("InstanceId"));
    requireStatus(instance, "Stopped");
    if (instance.text("StoppedMode").equals("StopCharging")) {
      requireStock(instance.text("InstanceType"), instance.text("ZoneId"));
    }
    instance.fields.put("StoppedMode", "");
    account.change(instance, "Starting", "Running");
    return Map.of();
  }

  private Map<String, Object> stop(ApiCall call) {
    Thing instance = account.get(Kind.INSTANCE, call.require("InstanceId"));
    requireStatus(instance, "Running");
    String mode = call.get("StoppedMode").isEmpty() ? "KeepCharging" : call.get("StoppedMode");
    if (!mode.equals("StopCharging") && !mode.equals("KeepCharging")) {
      throw new ApiRefusal(400, "InvalidParameter", "StoppedMode is not valid: " + mode);
    }
    // Some types cannot, and do not say so; afterwards it is called by two names.
    instance.fields.put(
        "StoppedMode",
        switch (instance.text("InstanceType")) {
          case "ecs.i2.local" -> "KeepCharging";
          case "ecs.d1.local" -> "Not-applicable";
          default -> mode;
        });
    account.change(instance, "Stopping", "Stopped");
    return Map.of();
  }

  private void requireStatus(Thing thing, String status) {
    String now = thing.status(account.now());
    if (!now.equals(status)) {
      throw new ApiRefusal(
          403,
          "IncorrectInstanceStatus",
          "The current status of the resource does not support this operation: " + now);
    }
  }

  private Map<String, Object> deleteInstance(ApiCall call) {
    Thing instance = account.get(Kind.INSTANCE, call.require("InstanceId"));
    boolean force = call.get("Force").equals("true");
    String status = instance.status(account.now());
    if (instance.goneAt != null
        || !(status.equals("Stopped") || force && status.equals("Running"))) {
      throw new ApiRefusal(
          403,
          "IncorrectInstanceStatus",
          "The current status of the resource does not support this operation: " + status);
    }
    // Its disk and its address stay with it until it is gone.
    account.leave(instance, status.equals("Running") ? "Stopping" : status, account.slowness);
    return Map.of();
  }

  void take(Thing instance) {
    for (Thing user : account.usersOf(instance)) {
      if (user.kind == Kind.EIP) {
        addresses.letGo(user);
      }
    }
    for (Thing disk : account.all(Kind.DISK)) {
      if (disk.text("InstanceId").equals(instance.id)) {
        account.remove(disk);
      }
    }
    account.remove(instance);
  }

  // ---- who may come in

  private Map<String, Object> createGroup(ApiCall call) {
    Thing vpc = account.get(Kind.VPC, call.require("VpcId"));
    Thing made = account.create(Kind.SECURITY_GROUP, "", "", null);
    made.uses.put("vpc", vpc);
    made.tags.putAll(call.tags());
    made.fields.put("SecurityGroupId", made.id);
    made.fields.put("SecurityGroupName", call.name("SecurityGroupName"));
    made.fields.put("Description", call.description());
    made.fields.put("VpcId", vpc.id);
    return Map.of("SecurityGroupId", made.id);
  }

  private Map<String, Object> authorize(ApiCall call) {
    Thing group = account.get(Kind.SECURITY_GROUP, call.require("SecurityGroupId"));
    Map<String, String> rule = ruleOf(call);
    if (!group.rules.contains(rule)) {
      group.rules.add(rule);
    }
    return Map.of();
  }

  private static Map<String, String> ruleOf(ApiCall call) {
    String at = call.get("Permissions.1.IpProtocol").isEmpty() ? "" : "Permissions.1.";
    Map<String, String> rule = new LinkedHashMap<>();
    rule.put("IpProtocol", call.require(at + "IpProtocol"));
    rule.put("PortRange", call.require(at + "PortRange"));
    rule.put("SourceCidrIp", call.get(at + "SourceCidrIp"));
    rule.put("Policy", "Accept");
    rule.put("Direction", "ingress");
    if (rule.get("SourceCidrIp").isEmpty()) {
      throw new ApiRefusal(400, "MissingParameter.Source", "One of the sources is needed.");
    }
    return rule;
  }

  private Map<String, Object> rules(ApiCall call) {
    Thing group = account.get(Kind.SECURITY_GROUP, call.require("SecurityGroupId"));
    return Map.of(
        "SecurityGroupId", group.id,
        "VpcId", group.text("VpcId"),
        "Permissions", Map.of("Permission", List.copyOf(group.rules)));
  }

  private Map<String, Object> importKeyPair(ApiCall call) {
    call.require("KeyPairName");
    // One edition of the documentation allows dots as well.
    String name = call.words("KeyPairName", 128, "[A-Za-z][A-Za-z0-9:_-]*");
    String body = call.require("PublicKeyBody");
    if (account.find(Kind.KEY_PAIR, name).isPresent()) {
      throw new ApiRefusal(400, "KeyPair.AlreadyExist", "The key pair name already exist: " + name);
    }
    PublicKey.require(body);
    Thing made = account.create(Kind.KEY_PAIR, name, "", null);
    made.tags.putAll(call.tags());
    made.fields.put("KeyPairName", name);
    made.fields.put("PublicKey", body);
    made.fields.put("KeyPairFingerPrint", Integer.toHexString(body.hashCode()));
    return Map.of("KeyPairName", name, "KeyPairFingerPrint", made.fields.get("KeyPairFingerPrint"));
  }

  private Map<String, Object> deleteKeyPairs(ApiCall call) {
    for (String name : call.strings("KeyPairNames")) {
      account.find(Kind.KEY_PAIR, name).ifPresent(account::remove);
    }
    return Map.of();
  }

  private Map<String, Object> delete(Kind kind, String id) {
    Thing thing = account.get(kind, id);
    account.requireUnused(thing, "DependencyViolation");
    account.remove(thing);
    return Map.of();
  }

  // ---- disks, snapshots and images

  private Map<String, Object> createSnapshot(ApiCall call) {
    Thing disk = account.get(Kind.DISK, call.require("DiskId"));
    Thing made = account.create(Kind.SNAPSHOT, "", "progressing", "accomplished");
    made.tags.putAll(call.tags());
    made.fields.put("SnapshotId", made.id);
    made.fields.put("SnapshotName", call.name("SnapshotName"));
    made.fields.put("Description", call.description());
    made.fields.put("SourceDiskId", disk.id);
    made.fields.put("SourceDiskSize", disk.text("Size"));
    made.fields.put("InstanceId", disk.text("InstanceId"));
    return Map.of("SnapshotId", made.id);
  }

  private Map<String, Object> deleteSnapshot(ApiCall call) {
    Thing snapshot = account.get(Kind.SNAPSHOT, call.require("SnapshotId"));
    account.requireUnused(snapshot, "SnapshotCreatedImage");
    account.remove(snapshot);
    return Map.of();
  }

  private Map<String, Object> createImage(ApiCall call) {
    Thing snapshot = account.get(Kind.SNAPSHOT, call.require("SnapshotId"));
    if (!snapshot.status(account.now()).equals("accomplished")) {
      throw new ApiRefusal(
          403, "IncorrectSnapshotStatus", "The current status does not support this operation.");
    }
    String name = call.name("ImageName");
    if (account.all(Kind.IMAGE).stream().anyMatch(i -> i.text("ImageName").equals(name))) {
      throw new ApiRefusal(
          400, "InvalidImageName.Duplicated", "The specified Image name has already been used.");
    }
    Thing made = account.create(Kind.IMAGE, "", "Creating", "Available");
    made.uses.put("snapshot", snapshot);
    made.tags.putAll(call.tags());
    made.fields.put("ImageId", made.id);
    made.fields.put("ImageName", name);
    made.fields.put("Description", call.description());
    made.fields.put("ImageOwnerAlias", "self");
    made.fields.put("Size", snapshot.text("SourceDiskSize"));
    return Map.of("ImageId", made.id);
  }

  private Map<String, Object> deleteImage(ApiCall call) {
    Thing image = account.get(Kind.IMAGE, call.require("ImageId"));
    if (!image.text("ImageOwnerAlias").equals("self")) {
      throw new ApiRefusal(403, "Forbidden", "User not authorized to operate on the image.");
    }
    account.remove(image);
    return Map.of();
  }

  private Map<String, Object> tag(ApiCall call) {
    Kind kind =
        switch (call.require("ResourceType")) {
          case "instance" -> Kind.INSTANCE;
          case "disk" -> Kind.DISK;
          case "snapshot" -> Kind.SNAPSHOT;
          case "image" -> Kind.IMAGE;
          case "securitygroup" -> Kind.SECURITY_GROUP;
          case "keypair" -> Kind.KEY_PAIR;
          case "VPC" -> Kind.VPC;
          case "VSWITCH" -> Kind.VSWITCH;
          case "EIP" -> Kind.EIP;
          default -> throw new ApiRefusal(400, "InvalidResourceType.NotFound", "No such type.");
        };
    for (String id : call.list("ResourceId")) {
      account.get(kind, id).tags.putAll(call.tags());
    }
    return Map.of();
  }

  // ---- commands

  private Map<String, Object> runCommand(ApiCall call) {
    String content = call.require("CommandContent");
    call.require("Type");
    if (content.length() > LONGEST_COMMAND) {
      throw new ApiRefusal(
          403, "CmdContent.ExceedLimit", "The length of the command content exceeds the limit.");
    }
    if (call.get("ContentEncoding").equals("Base64")) {
      content = new String(Base64.getDecoder().decode(content), StandardCharsets.UTF_8);
    }
    List<String> ids = call.list("InstanceId");
    if (ids.isEmpty()) {
      call.require("InstanceId.1");
    }
    for (String id : ids) {
      requireStatus(account.get(Kind.INSTANCE, id), "Running");
    }
    Thing made = account.create(Kind.INVOCATION, "", "Running", "Success");
    for (String id : ids) {
      Map.Entry<Integer, String> said = commands.apply(id, content);
      made.results.add(
          Map.of(
              "InstanceId", id,
              "ExitCode", said.getKey(),
              "Output",
                  Base64.getEncoder()
                      .encodeToString(said.getValue().getBytes(StandardCharsets.UTF_8))));
    }
    return Map.of("InvokeId", made.id, "CommandId", "c-" + made.id);
  }

  private Map<String, Object> results(ApiCall call) {
    // One that is not known, or not any more, has no results, and that is no error.
    Optional<Thing> invocation = account.find(Kind.INVOCATION, call.require("InvokeId"));
    boolean done = invocation.filter(i -> i.status(account.now()).equals("Success")).isPresent();
    List<Map<String, Object>> all = new ArrayList<>();
    for (Map<String, Object> one : invocation.map(i -> i.results).orElse(List.of())) {
      Map<String, Object> result = new LinkedHashMap<>(one);
      boolean good = result.get("ExitCode").equals(0);
      result.put("InvokeRecordStatus", done ? "Finished" : "Running");
      result.put("InvocationStatus", !done ? "Running" : good ? "Success" : "Failed");
      if (!done) {
        result.remove("ExitCode");
        result.put("Output", "");
      }
      all.add(result);
    }
    return Map.of(
        "Invocation",
        Map.of(
            "InvocationResults",
            Map.of("InvocationResult", all),
            "TotalCount",
            all.size(),
            "PageNumber",
            1,
            "PageSize",
            10));
  }
}
