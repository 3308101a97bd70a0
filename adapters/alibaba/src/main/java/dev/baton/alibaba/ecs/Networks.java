package dev.baton.alibaba.ecs;

import com.aliyun.vpc20160428.models.AllocateEipAddressRequest;
import com.aliyun.vpc20160428.models.AssociateEipAddressRequest;
import com.aliyun.vpc20160428.models.CreateVSwitchRequest;
import com.aliyun.vpc20160428.models.CreateVpcRequest;
import com.aliyun.vpc20160428.models.DeleteVSwitchRequest;
import com.aliyun.vpc20160428.models.DeleteVpcRequest;
import com.aliyun.vpc20160428.models.DescribeEipAddressesRequest;
import com.aliyun.vpc20160428.models.DescribeEipAddressesResponseBody;
import com.aliyun.vpc20160428.models.DescribeVSwitchesRequest;
import com.aliyun.vpc20160428.models.DescribeVSwitchesResponseBody;
import com.aliyun.vpc20160428.models.DescribeVpcsRequest;
import com.aliyun.vpc20160428.models.DescribeVpcsResponseBody;
import com.aliyun.vpc20160428.models.ReleaseEipAddressRequest;
import com.aliyun.vpc20160428.models.UnassociateEipAddressRequest;
import dev.baton.vm.Kind;
import dev.baton.vm.Trouble;
import dev.baton.vm.spi.Cancel;
import dev.baton.vm.spi.Found;
import dev.baton.vm.spi.ProviderException;
import dev.baton.vm.spi.Request;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Networks, subnets and addresses: what the API of VPC is asked for. */
final class Networks {
  private static final int PAGE = 50;
  private static final Duration UNBINDING = Duration.ofMinutes(2);
  private static final Duration LOOK = Duration.ofSeconds(2);

  private final Api api;

  Networks(Api api) {
    this.api = api;
  }

  // ---- creating

  Found createNetwork(Request request, Cancel cancel)
      throws ProviderException, InterruptedException {
    String cidr = request.parameters().getOrDefault("cidr", "192.168.0.0/16");
    CreateVpcRequest asked =
        new CreateVpcRequest()
            .setRegionId(api.region())
            .setCidrBlock(cidr)
            .setVpcName(Marks.name(request))
            .setDescription(Marks.description(request))
            .setClientToken(Marks.clientToken(request, ""));
    String id =
        api.ask("create the network", cancel, how -> api.vpc.createVpcWithOptions(asked, how))
            .getBody()
            .getVpcId();
    return ListedResource.created(request, id, Map.of("cidr", cidr));
  }

  Found createSubnet(Request request, String zone, Cancel cancel)
      throws ProviderException, InterruptedException {
    CreateVSwitchRequest asked =
        new CreateVSwitchRequest()
            .setRegionId(api.region())
            .setVpcId(request.parameters().get(Kind.NETWORK.key()))
            .setZoneId(zone)
            .setCidrBlock(request.parameters().getOrDefault("cidr", "192.168.0.0/24"))
            .setVSwitchName(Marks.name(request))
            .setDescription(Marks.description(request))
            .setClientToken(Marks.clientToken(request, ""));
    String id =
        api.ask("create the subnet", cancel, how -> api.vpc.createVSwitchWithOptions(asked, how))
            .getBody()
            .getVSwitchId();
    return ListedResource.created(request, id, Map.of("zone_id", zone));
  }

  Found createAddress(Request request, Cancel cancel)
      throws ProviderException, InterruptedException {
    AllocateEipAddressRequest asked =
        new AllocateEipAddressRequest()
            .setRegionId(api.region())
            .setBandwidth(request.parameters().getOrDefault("bandwidth", "5"))
            .setInternetChargeType("PayByTraffic")
            .setInstanceChargeType("PostPaid")
            .setName(Marks.name(request))
            .setDescription(Marks.description(request))
            .setClientToken(Marks.clientToken(request, ""));
    var body =
        api.ask(
                "allocate the address",
                cancel,
                how -> api.vpc.allocateEipAddressWithOptions(asked, how))
            .getBody();
    return ListedResource.created(
        request, body.getAllocationId(), Map.of("ip", ListedResource.text(body.getEipAddress())));
  }

  // ---- looking

  /**
   * @param id empty: all of them
   */
  List<ListedResource> networks(String id, Cancel cancel)
      throws ProviderException, InterruptedException {
    return api.all(
        "look for networks",
        PAGE,
        cancel,
        (page, how) -> {
          DescribeVpcsRequest asked =
              new DescribeVpcsRequest()
                  .setRegionId(api.region())
                  .setVpcId(id.isEmpty() ? null : id)
                  .setPageSize(PAGE)
                  .setPageNumber(page);
          var response = api.vpc.describeVpcsWithOptions(asked, how);
          DescribeVpcsResponseBody body = response.getBody();
          return new Api.Slice<>(
              body.getVpcs().getVpc().stream().map(Networks::seen).toList(),
              body.getTotalCount(),
              response.getHeaders());
        });
  }

  private static ListedResource seen(DescribeVpcsResponseBody.DescribeVpcsResponseBodyVpcsVpc v) {
    return new ListedResource(
            Kind.NETWORK,
            v.getVpcId(),
            v.getStatus(),
            v.getVpcName(),
            v.getDescription(),
            Map.of(),
            v.getCreationTime())
        .with("cidr", v.getCidrBlock());
  }

  List<ListedResource> subnets(String id, Cancel cancel)
      throws ProviderException, InterruptedException {
    return subnets(id, "", cancel);
  }

  /**
   * @param network empty: in any
   */
  private List<ListedResource> subnets(String id, String network, Cancel cancel)
      throws ProviderException, InterruptedException {
    return api.all(
        "look for subnets",
        PAGE,
        cancel,
        (page, how) -> {
          DescribeVSwitchesRequest asked =
              new DescribeVSwitchesRequest()
                  .setRegionId(api.region())
                  .setVSwitchId(id.isEmpty() ? null : id)
                  .setVpcId(network.isEmpty() ? null : network)
                  .setPageSize(PAGE)
                  .setPageNumber(page);
          var response = api.vpc.describeVSwitchesWithOptions(asked, how);
          DescribeVSwitchesResponseBody body = response.getBody();
          return new Api.Slice<>(
              body.getVSwitches().getVSwitch().stream().map(Networks::seen).toList(),
              body.getTotalCount(),
              response.getHeaders());
        });
  }

  /** What an earlier try with this token has created, in whichever zone. */
  Optional<Found> subnetOf(Request request, Cancel cancel)
      throws ProviderException, InterruptedException {
    String network = request.parameters().getOrDefault(Kind.NETWORK.key(), "");
    return subnets("", network, cancel).stream()
        .map(s -> s.found(api.clock))
        .filter(f -> f.owner().equals(Optional.of(request.owner())))
        .filter(f -> f.token().equals(Optional.of(request.token())))
        .findFirst();
  }

  private static ListedResource seen(
      DescribeVSwitchesResponseBody.DescribeVSwitchesResponseBodyVSwitchesVSwitch v) {
    return new ListedResource(
            Kind.SUBNET,
            v.getVSwitchId(),
            v.getStatus(),
            v.getVSwitchName(),
            v.getDescription(),
            Map.of(),
            v.getCreationTime())
        .with("cidr", v.getCidrBlock())
        .with("zone_id", v.getZoneId());
  }

  List<ListedResource> addresses(String id, Cancel cancel)
      throws ProviderException, InterruptedException {
    return api.all(
        "look for addresses",
        PAGE,
        cancel,
        (page, how) -> {
          DescribeEipAddressesRequest asked =
              new DescribeEipAddressesRequest()
                  .setRegionId(api.region())
                  .setAllocationId(id.isEmpty() ? null : id)
                  .setPageSize(PAGE)
                  .setPageNumber(page);
          var response = api.vpc.describeEipAddressesWithOptions(asked, how);
          DescribeEipAddressesResponseBody body = response.getBody();
          return new Api.Slice<>(
              body.getEipAddresses().getEipAddress().stream().map(Networks::seen).toList(),
              body.getTotalCount(),
              response.getHeaders());
        });
  }

  private static ListedResource seen(
      DescribeEipAddressesResponseBody.DescribeEipAddressesResponseBodyEipAddressesEipAddress e) {
    return new ListedResource(
            Kind.ADDRESS,
            e.getAllocationId(),
            e.getStatus(),
            e.getName(),
            e.getDescription(),
            Map.of(),
            e.getAllocationTime())
        .with("ip", e.getIpAddress())
        .with("instance", e.getInstanceId());
  }

  // ---- addresses and machines

  void bind(String address, String instance, Cancel cancel)
      throws ProviderException, InterruptedException {
    ListedResource eip = requireAddress(address, cancel);
    String bound = eip.attributes().getOrDefault("instance", "");
    if (bound.equals(instance)) {
      return;
    }
    if (!bound.isEmpty()) {
      unbind(eip, cancel);
    }
    AssociateEipAddressRequest asked =
        new AssociateEipAddressRequest()
            .setRegionId(api.region())
            .setAllocationId(address)
            .setInstanceId(instance)
            .setInstanceType("EcsInstance");
    api.ask("bind the address", cancel, how -> api.vpc.associateEipAddressWithOptions(asked, how));
  }

  private ListedResource requireAddress(String id, Cancel cancel)
      throws ProviderException, InterruptedException {
    return addresses(id, cancel).stream()
        .findFirst()
        .orElseThrow(
            () -> new ProviderException(Trouble.NOT_FOUND, "address " + id + " does not exist"));
  }

  /** Takes a moment: until then the address can neither be bound anew nor be released. */
  private void unbind(ListedResource eip, Cancel cancel)
      throws ProviderException, InterruptedException {
    if (eip.status().equals("InUse")) {
      UnassociateEipAddressRequest asked =
          new UnassociateEipAddressRequest()
              .setRegionId(api.region())
              .setAllocationId(eip.id())
              .setInstanceId(eip.attributes().get("instance"))
              .setInstanceType("EcsInstance");
      api.ask(
          "unbind the address",
          cancel,
          how -> api.vpc.unassociateEipAddressWithOptions(asked, how));
    }
    boolean free =
        Api.await(
            UNBINDING,
            LOOK,
            cancel,
            () -> {
              Optional<ListedResource> now = addresses(eip.id(), cancel).stream().findFirst();
              return now.isEmpty() || now.get().status().equals("Available");
            });
    if (!free) {
      throw new ProviderException(
          Trouble.DEPENDENCY, "the address " + eip.id() + " is still bound to a machine");
    }
  }

  // ---- deleting

  void deleteNetwork(String id, Cancel cancel) throws ProviderException, InterruptedException {
    DeleteVpcRequest asked = new DeleteVpcRequest().setRegionId(api.region()).setVpcId(id);
    api.delete("delete the network", cancel, how -> api.vpc.deleteVpcWithOptions(asked, how));
  }

  void deleteSubnet(String id, Cancel cancel) throws ProviderException, InterruptedException {
    DeleteVSwitchRequest asked =
        new DeleteVSwitchRequest().setRegionId(api.region()).setVSwitchId(id);
    api.delete("delete the subnet", cancel, how -> api.vpc.deleteVSwitchWithOptions(asked, how));
  }

  void releaseAddress(String id, Cancel cancel) throws ProviderException, InterruptedException {
    ListedResource eip = requireAddress(id, cancel);
    if (!eip.status().equals("Available")) {
      unbind(eip, cancel);
    }
    ReleaseEipAddressRequest asked =
        new ReleaseEipAddressRequest().setRegionId(api.region()).setAllocationId(id);
    api.delete(
        "release the address", cancel, how -> api.vpc.releaseEipAddressWithOptions(asked, how));
  }
}
