package dev.baton.alibaba.fake;

import java.util.LinkedHashMap;
import java.util.Map;

/** Networks, subnets and addresses. */
final class VpcActions {
  private static final Listing VPCS =
      new Listing(Kind.VPC, "Vpcs", "Vpc", "VpcId", Map.of("VpcName", "VpcName"), 50);
  private static final Listing VSWITCHES =
      new Listing(
          Kind.VSWITCH,
          "VSwitches",
          "VSwitch",
          "VSwitchId",
          Map.of("VpcId", "VpcId", "ZoneId", "ZoneId", "VSwitchName", "VSwitchName"),
          50);
  private static final Listing EIPS =
      new Listing(
          Kind.EIP,
          "EipAddresses",
          "EipAddress",
          "AllocationId",
          Map.of("EipName", "Name", "EipAddress", "IpAddress", "Status", "Status"),
          100);

  private final Account account;
  private int addresses;

  VpcActions(Account account) {
    this.account = account;
  }

  /**
   * @return null when it is none of these
   */
  Map<String, Object> run(ApiCall call) {
    return switch (call.action()) {
      case "CreateVpc" -> createVpc(call);
      case "DescribeVpcs" -> VPCS.answer(call, account, this::shown);
      case "DeleteVpc" -> delete(Kind.VPC, call.require("VpcId"), "DependencyViolation");
      case "CreateVSwitch" -> createVSwitch(call);
      case "DescribeVSwitches" -> describeVSwitches(call);
      case "DeleteVSwitch" -> deleteVSwitch(call);
      case "AllocateEipAddress" -> allocate(call);
      case "DescribeEipAddresses" -> EIPS.answer(call, account, this::shown);
      case "AssociateEipAddress" -> associate(call);
      case "UnassociateEipAddress" -> unassociate(call);
      case "ReleaseEipAddress" -> release(call);
      default -> null;
    };
  }

  private Map<String, Object> shown(Thing thing) {
    Map<String, Object> all = new LinkedHashMap<>(thing.fields);
    all.put("Status", thing.status(account.now()));
    all.put(
        thing.kind == Kind.EIP ? "AllocationTime" : "CreationTime",
        FakeAliyun.SECONDS.format(thing.created));
    all.put("Tags", thing.tagList("Key", "Value"));
    return all;
  }

  private Map<String, Object> createVpc(ApiCall call) {
    String cidr = call.get("CidrBlock").isEmpty() ? "172.16.0.0/12" : call.get("CidrBlock");
    requireCidr(cidr);
    Thing vpc = account.create(Kind.VPC, "", "Pending", "Available");
    vpc.fields.put("VpcId", vpc.id);
    vpc.fields.put("RegionId", call.get("RegionId"));
    vpc.fields.put("CidrBlock", cidr);
    vpc.fields.put("VpcName", call.name("VpcName"));
    vpc.fields.put("Description", call.description());
    return Map.of("VpcId", vpc.id, "VRouterId", "vrt-" + vpc.id);
  }

  private Map<String, Object> createVSwitch(ApiCall call) {
    Thing vpc = account.get(Kind.VPC, call.require("VpcId"));
    String zone = call.require("ZoneId");
    String cidr = call.require("CidrBlock");
    requireCidr(cidr);
    if (!FakeAliyun.ZONES.contains(zone)) {
      throw new ApiRefusal(400, "InvalidZoneId.NotFound", "Specified value of zone is not exists.");
    }
    if (!vpc.status(account.now()).equals("Available")) {
      throw new ApiRefusal(400, "IncorrectVpcStatus", "Current VPC status does not support this.");
    }
    for (Thing other : account.all(Kind.VSWITCH)) {
      if (other.uses.containsValue(vpc) && other.text("CidrBlock").equals(cidr)) {
        throw new ApiRefusal(400, "InvalidCidrBlock.Overlapped", "The CIDR block overlaps.");
      }
    }
    Thing made = account.create(Kind.VSWITCH, "", "Pending", "Available");
    made.uses.put("vpc", vpc);
    made.fields.put("VSwitchId", made.id);
    made.fields.put("VpcId", vpc.id);
    made.fields.put("ZoneId", zone);
    made.fields.put("CidrBlock", cidr);
    made.fields.put("VSwitchName", call.name("VSwitchName"));
    made.fields.put("Description", call.description());
    return Map.of("VSwitchId", made.id);
  }

  /** Other than in lists of other kinds, an id that does not exist is an error here. */
  private Map<String, Object> describeVSwitches(ApiCall call) {
    String id = call.get("VSwitchId");
    if (!id.isEmpty() && account.listed(Kind.VSWITCH).stream().noneMatch(t -> t.id.equals(id))) {
      throw ApiRefusal.notFound(Kind.VSWITCH.missing);
    }
    if (!call.get("VpcId").isEmpty() && account.find(Kind.VPC, call.get("VpcId")).isEmpty()) {
      throw ApiRefusal.notFound("Forbidden.VpcNotFound");
    }
    return VSWITCHES.answer(call, account, this::shown);
  }

  /** It takes a while, and until then its addresses are taken. */
  private Map<String, Object> deleteVSwitch(ApiCall call) {
    Thing subnet = account.get(Kind.VSWITCH, call.require("VSwitchId"));
    if (!subnet.status(account.now()).equals("Available")) {
      throw new ApiRefusal(400, "IncorrectVSwitchStatus", "vpc subnet status not working.");
    }
    account.requireUnused(subnet, "DependencyViolation");
    account.leave(subnet, "Pending", account.slowness);
    return Map.of();
  }

  private static void requireCidr(String cidr) {
    if (!cidr.matches("\\d{1,3}(\\.\\d{1,3}){3}/\\d{1,2}")) {
      throw new ApiRefusal(
          400, "InvalidCidrBlock.Malformed", "The specified CIDR block is not valid.");
    }
  }

  private Map<String, Object> delete(Kind kind, String id, String dependency) {
    Thing thing = account.get(kind, id);
    account.requireUnused(thing, dependency);
    account.remove(thing);
    return Map.of();
  }

  private Map<String, Object> allocate(ApiCall call) {
    Thing eip = account.create(Kind.EIP, "", "Available", null);
    String address = "203.0.113." + ++addresses;
    eip.fields.put("AllocationId", eip.id);
    eip.fields.put("IpAddress", address);
    eip.fields.put("RegionId", call.get("RegionId"));
    eip.fields.put("Bandwidth", call.get("Bandwidth").isEmpty() ? "5" : call.get("Bandwidth"));
    eip.fields.put("Name", call.name("Name"));
    eip.fields.put("Description", call.description());
    eip.fields.put("InstanceId", "");
    return Map.of("AllocationId", eip.id, "EipAddress", address);
  }

  private Map<String, Object> associate(ApiCall call) {
    Thing eip = account.get(Kind.EIP, call.require("AllocationId"));
    Thing instance = account.get(Kind.INSTANCE, call.require("InstanceId"));
    if (!eip.status(account.now()).equals("Available")) {
      throw new ApiRefusal(400, "IncorrectEipStatus", "Current EIP status does not support this.");
    }
    String state = instance.status(account.now());
    if (!state.equals("Running") && !state.equals("Stopped")) {
      throw new ApiRefusal(
          400, "IncorrectInstanceStatus", "Current instance status does not support this.");
    }
    if (account.usersOf(instance).stream().anyMatch(t -> t.kind == Kind.EIP)) {
      throw new ApiRefusal(
          400, "InvalidAssociation.Duplicated", "The instance has an address already.");
    }
    eip.uses.put("instance", instance);
    eip.fields.put("InstanceId", instance.id);
    eip.fields.put("InstanceType", "EcsInstance");
    account.change(eip, "Associating", "InUse");
    return Map.of();
  }

  private Map<String, Object> unassociate(ApiCall call) {
    Thing eip = account.get(Kind.EIP, call.require("AllocationId"));
    if (!eip.status(account.now()).equals("InUse")) {
      throw new ApiRefusal(400, "IncorrectEipStatus", "Current EIP status does not support this.");
    }
    letGo(eip);
    return Map.of();
  }

  void letGo(Thing eip) {
    eip.uses.clear();
    eip.fields.put("InstanceId", "");
    account.change(eip, "Unassociating", "Available");
  }

  private Map<String, Object> release(ApiCall call) {
    Thing eip = account.get(Kind.EIP, call.require("AllocationId"));
    if (!eip.status(account.now()).equals("Available")) {
      throw new ApiRefusal(400, "IncorrectEipStatus", "Current EIP status does not support this.");
    }
    account.remove(eip);
    return Map.of();
  }
}
