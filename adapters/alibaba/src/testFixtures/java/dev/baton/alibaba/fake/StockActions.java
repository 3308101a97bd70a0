package dev.baton.alibaba.fake;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What is for sale, and whether machines take commands yet. */
final class StockActions {
  private final Account account;

  StockActions(Account account) {
    this.account = account;
  }

  /**
   * @return null when it is none of these
   */
  Map<String, Object> run(ApiCall call) {
    return switch (call.action()) {
      case "DescribeAvailableResource" -> available(call);
      case "DescribeCloudAssistantStatus" -> assistants(call);
      default -> null;
    };
  }

  private Map<String, Object> available(ApiCall call) {
    call.require("DestinationResource");
    String type = call.require("InstanceType");
    if (type.equals("ecs.old.large")) {
      // One that is sold no more, here.
      return Map.of("AvailableZones", Map.of("AvailableZone", List.of()));
    }
    if (!FakeAliyun.TYPES.contains(type)) {
      throw new ApiRefusal(
          400,
          "InvalidInstanceType.ValueNotSupported",
          "The specified InstanceType beyond the permitted range.");
    }
    List<Map<String, Object>> zones = new ArrayList<>();
    for (String zone : FakeAliyun.ZONES) {
      if (!call.get("ZoneId").isEmpty() && !call.get("ZoneId").equals(zone)) {
        continue;
      }
      boolean sold = account.soldOut.contains(type) || account.soldOut.contains(type + " " + zone);
      String status = sold ? "SoldOut" : "Available";
      String category = sold ? "WithoutStock" : "WithStock";
      Map<String, Object> resource =
          Map.of("Value", type, "Status", status, "StatusCategory", category);
      zones.add(
          Map.of(
              "RegionId",
              FakeAliyun.REGION,
              "ZoneId",
              zone,
              "Status",
              "Available",
              "StatusCategory",
              "WithStock",
              "AvailableResources",
              Map.of(
                  "AvailableResource",
                  List.of(
                      Map.of(
                          "Type",
                          "InstanceType",
                          "SupportedResources",
                          Map.of("SupportedResource", List.of(resource)))))));
    }
    return Map.of("AvailableZones", Map.of("AvailableZone", zones));
  }

  /** Cloud Assistant is there as soon as the machine runs. */
  private Map<String, Object> assistants(ApiCall call) {
    List<Map<String, Object>> all = new ArrayList<>();
    for (String id : call.list("InstanceId")) {
      String status = account.get(Kind.INSTANCE, id).status(account.now());
      all.add(
          Map.of(
              "InstanceId",
              id,
              "CloudAssistantStatus",
              String.valueOf(status.equals("Running") && account.assistants)));
    }
    return Map.of(
        "InstanceCloudAssistantStatusSet",
        Map.of("InstanceCloudAssistantStatus", all),
        "TotalCount",
        all.size(),
        "PageNumber",
        1,
        "PageSize",
        10);
  }
}
