package dev.baton.alibaba.ecs;

import com.aliyun.ecs20140526.models.DescribeAvailableResourceRequest;
import com.aliyun.ecs20140526.models.DescribeAvailableResourceResponseBody.DescribeAvailableResourceResponseBodyAvailableZonesAvailableZone;
import dev.baton.vm.Trouble;
import dev.baton.vm.spi.Cancel;
import dev.baton.vm.spi.ProviderException;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What can be bought where, as far as the cloud tells beforehand. */
final class Stock {
  private final Api api;

  Stock(Api api) {
    this.api = api;
  }

  /**
   * Zones where that type is in stock.
   *
   * @throws ProviderException with {@code BAD_REQUEST} when there is no such type
   */
  Set<String> zonesWith(String type, Cancel cancel) throws ProviderException, InterruptedException {
    DescribeAvailableResourceRequest asked =
        new DescribeAvailableResourceRequest()
            .setRegionId(api.region())
            .setDestinationResource("InstanceType")
            .setInstanceChargeType("PostPaid")
            .setResourceType("instance")
            .setInstanceType(type);
    List<DescribeAvailableResourceResponseBodyAvailableZonesAvailableZone> zones;
    try {
      var found =
          api.ask(
                  "look whether " + type + " is in stock",
                  cancel,
                  how -> api.ecs.describeAvailableResourceWithOptions(asked, how))
              .getBody()
              .getAvailableZones();
      zones =
          found == null || found.getAvailableZone() == null ? List.of() : found.getAvailableZone();
    } catch (ProviderException e) {
      if (Troubles.isAboutInstanceType(e)) {
        throw new ProviderException(
            Trouble.BAD_REQUEST, "unknown instance type " + type + " in " + api.region());
      }
      throw e;
    }
    if (zones.isEmpty()) {
      throw new ProviderException(
          Trouble.BAD_REQUEST,
          "unknown instance type " + type + " in " + api.region() + ", or it is not sold there");
    }
    Set<String> with = new LinkedHashSet<>();
    for (var zone : zones) {
      boolean here =
          zone.getAvailableResources() != null
              && zone.getAvailableResources().getAvailableResource().stream()
                  .flatMap(r -> r.getSupportedResources().getSupportedResource().stream())
                  .anyMatch(s -> type.equals(s.getValue()) && "Available".equals(s.getStatus()));
      if (here) {
        with.add(zone.getZoneId());
      }
    }
    return with;
  }

  /**
   * The first of these zones where one of these types is in stock; a type that comes first counts
   * more than a zone that does.
   *
   * @param zones empty: any
   * @throws ProviderException with {@code OUT_OF_STOCK} when there is none, and with {@code
   *     BAD_REQUEST} when there is no such type, whichever of them it is
   */
  String zoneFor(List<String> types, List<String> zones, Cancel cancel)
      throws ProviderException, InterruptedException {
    Map<String, List<String>> stock = new LinkedHashMap<>();
    for (String type : types) {
      stock.put(type, List.copyOf(zonesWith(type, cancel)));
    }
    for (List<String> with : stock.values()) {
      List<String> wanted = zones.isEmpty() ? with : zones;
      for (String zone : wanted) {
        if (with.contains(zone)) {
          return zone;
        }
      }
    }
    throw new ProviderException(
        Trouble.OUT_OF_STOCK,
        String.join(", ", types)
            + " is not available at the moment in "
            + (zones.isEmpty() ? "any zone of " + api.region() : String.join(", ", zones))
            + ": name more types or zones, with commas between them, or try later");
  }
}
