package dev.baton.alibaba.ecs;

import com.aliyun.ecs20140526.models.AuthorizeSecurityGroupRequest;
import com.aliyun.ecs20140526.models.CreateSecurityGroupRequest;
import com.aliyun.ecs20140526.models.DeleteKeyPairsRequest;
import com.aliyun.ecs20140526.models.DeleteSecurityGroupRequest;
import com.aliyun.ecs20140526.models.DescribeKeyPairsRequest;
import com.aliyun.ecs20140526.models.DescribeKeyPairsResponseBody;
import com.aliyun.ecs20140526.models.DescribeSecurityGroupsRequest;
import com.aliyun.ecs20140526.models.DescribeSecurityGroupsResponseBody;
import com.aliyun.ecs20140526.models.ImportKeyPairRequest;
import dev.baton.vm.Kind;
import dev.baton.vm.Trouble;
import dev.baton.vm.spi.Cancel;
import dev.baton.vm.spi.Found;
import dev.baton.vm.spi.ProviderException;
import dev.baton.vm.spi.Request;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Who gets to a machine: security groups and key pairs. */
final class AccessResources {
  private static final int GROUPS = 100;
  private static final int KEYS = 50;

  private final Api api;

  AccessResources(Api api) {
    this.api = api;
  }

  // ---- security groups

  Found createGroup(Request request, Cancel cancel) throws ProviderException, InterruptedException {
    CreateSecurityGroupRequest asked =
        new CreateSecurityGroupRequest()
            .setRegionId(api.region())
            .setVpcId(request.parameters().get(Kind.NETWORK.key()))
            .setSecurityGroupName(Marks.name(request))
            .setDescription(Marks.description(request))
            .setTag(
                Marks.tags(request).entrySet().stream()
                    .map(
                        t ->
                            new CreateSecurityGroupRequest.CreateSecurityGroupRequestTag()
                                .setKey(t.getKey())
                                .setValue(t.getValue()))
                    .toList())
            .setClientToken(Marks.clientToken(request, ""));
    String id =
        api.ask(
                "create the security group",
                cancel,
                how -> api.ecs.createSecurityGroupWithOptions(asked, how))
            .getBody()
            .getSecurityGroupId();
    letSshIn(id, Lists.of(request.parameters().getOrDefault("ssh_from", "")), cancel);
    return ListedResource.created(request, id, Map.of());
  }

  /**
   * From the given addresses alone. Also done before a machine is put into the group: whoever
   * created the group may have been killed before this. The same rule again changes nothing, so it
   * has no client token: with one, a rule that somebody has removed since would not come back.
   */
  void letSshIn(String group, List<String> sources, Cancel cancel)
      throws ProviderException, InterruptedException {
    for (String source : sources) {
      AuthorizeSecurityGroupRequest asked =
          new AuthorizeSecurityGroupRequest()
              .setRegionId(api.region())
              .setSecurityGroupId(group)
              .setPermissions(
                  List.of(
                      new AuthorizeSecurityGroupRequest.AuthorizeSecurityGroupRequestPermissions()
                          .setIpProtocol("TCP")
                          .setPortRange("22/22")
                          .setSourceCidrIp(source)
                          .setPolicy("accept")
                          .setDescription("SSH")));
      api.ask(
          "let SSH in from " + source,
          cancel,
          how -> api.ecs.authorizeSecurityGroupWithOptions(asked, how));
    }
  }

  List<ListedResource> groups(Sought sought, Cancel cancel)
      throws ProviderException, InterruptedException {
    return api.all(
        "look for security groups",
        GROUPS,
        cancel,
        (page, how) -> {
          DescribeSecurityGroupsRequest asked =
              new DescribeSecurityGroupsRequest()
                  .setRegionId(api.region())
                  .setSecurityGroupIds(sought.idsAsJson())
                  .setTag(
                      sought.tags(
                          (k, v) ->
                              new DescribeSecurityGroupsRequest.DescribeSecurityGroupsRequestTag()
                                  .setKey(k)
                                  .setValue(v)))
                  .setPageSize(GROUPS)
                  .setPageNumber(page);
          var response = api.ecs.describeSecurityGroupsWithOptions(asked, how);
          var body = response.getBody();
          return new Api.Slice<>(
              body.getSecurityGroups().getSecurityGroup().stream()
                  .map(AccessResources::seen)
                  .toList(),
              body.getTotalCount(),
              response.getHeaders());
        });
  }

  private static ListedResource seen(
      DescribeSecurityGroupsResponseBody
              .DescribeSecurityGroupsResponseBodySecurityGroupsSecurityGroup
          g) {
    Map<String, String> tags = new LinkedHashMap<>();
    if (g.getTags() != null && g.getTags().getTag() != null) {
      g.getTags()
          .getTag()
          .forEach(t -> tags.put(t.getTagKey(), ListedResource.text(t.getTagValue())));
    }
    return new ListedResource(
        Kind.SECURITY_GROUP,
        g.getSecurityGroupId(),
        "",
        g.getSecurityGroupName(),
        g.getDescription(),
        tags,
        g.getCreationTime());
  }

  void deleteGroup(String id, Cancel cancel) throws ProviderException, InterruptedException {
    DeleteSecurityGroupRequest asked =
        new DeleteSecurityGroupRequest().setRegionId(api.region()).setSecurityGroupId(id);
    api.delete(
        "delete the security group",
        cancel,
        how -> api.ecs.deleteSecurityGroupWithOptions(asked, how));
  }

  // ---- key pairs

  /** Without a client token: what was imported before under this name is the same key. */
  Found importKey(Request request, Cancel cancel) throws ProviderException, InterruptedException {
    String key = request.parameters().getOrDefault("public_key", "");
    String name = Marks.uniqueName(request, key);
    ImportKeyPairRequest asked =
        new ImportKeyPairRequest()
            .setRegionId(api.region())
            .setKeyPairName(name)
            .setPublicKeyBody(key)
            .setTag(
                Marks.tags(request).entrySet().stream()
                    .map(
                        t ->
                            new ImportKeyPairRequest.ImportKeyPairRequestTag()
                                .setKey(t.getKey())
                                .setValue(t.getValue()))
                    .toList());
    try {
      api.ask("import the public key", cancel, how -> api.ecs.importKeyPairWithOptions(asked, how));
    } catch (ProviderException e) {
      if (!Troubles.isAboutKeyPairName(e)) {
        throw e;
      }
    }
    return ListedResource.created(request, name, Map.of());
  }

  List<ListedResource> keys(Sought sought, Cancel cancel)
      throws ProviderException, InterruptedException {
    return api.all(
        "look for key pairs",
        KEYS,
        cancel,
        (page, how) -> {
          DescribeKeyPairsRequest asked =
              new DescribeKeyPairsRequest()
                  .setRegionId(api.region())
                  .setKeyPairName(sought.id().isEmpty() ? null : sought.id())
                  .setTag(
                      sought.tags(
                          (k, v) ->
                              new DescribeKeyPairsRequest.DescribeKeyPairsRequestTag()
                                  .setKey(k)
                                  .setValue(v)))
                  .setPageSize(KEYS)
                  .setPageNumber(page);
          var response = api.ecs.describeKeyPairsWithOptions(asked, how);
          var body = response.getBody();
          return new Api.Slice<>(
              body.getKeyPairs().getKeyPair().stream().map(AccessResources::seen).toList(),
              body.getTotalCount(),
              response.getHeaders());
        });
  }

  private static ListedResource seen(
      DescribeKeyPairsResponseBody.DescribeKeyPairsResponseBodyKeyPairsKeyPair k) {
    Map<String, String> tags = new LinkedHashMap<>();
    if (k.getTags() != null && k.getTags().getTag() != null) {
      k.getTags()
          .getTag()
          .forEach(t -> tags.put(t.getTagKey(), ListedResource.text(t.getTagValue())));
    }
    return new ListedResource(
        Kind.KEY_PAIR, k.getKeyPairName(), "", k.getKeyPairName(), "", tags, k.getCreationTime());
  }

  /** ECS does not say whether there was one. */
  void deleteKey(String name, Cancel cancel) throws ProviderException, InterruptedException {
    if (keys(Sought.id(name), cancel).isEmpty()) {
      throw new ProviderException(Trouble.NOT_FOUND, "key pair " + name + " does not exist");
    }
    DeleteKeyPairsRequest asked =
        new DeleteKeyPairsRequest()
            .setRegionId(api.region())
            .setKeyPairNames(Sought.id(name).idsAsJson());
    api.delete("delete the key pair", cancel, how -> api.ecs.deleteKeyPairsWithOptions(asked, how));
  }
}
