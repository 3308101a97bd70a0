package dev.baton.alibaba.ecs;

import com.aliyun.ecs20140526.models.CreateImageRequest;
import com.aliyun.ecs20140526.models.CreateSnapshotRequest;
import com.aliyun.ecs20140526.models.DeleteImageRequest;
import com.aliyun.ecs20140526.models.DeleteInstanceRequest;
import com.aliyun.ecs20140526.models.DeleteSnapshotRequest;
import com.aliyun.ecs20140526.models.DescribeDisksRequest;
import com.aliyun.ecs20140526.models.DescribeImagesRequest;
import com.aliyun.ecs20140526.models.DescribeImagesResponseBody;
import com.aliyun.ecs20140526.models.DescribeInstancesRequest;
import com.aliyun.ecs20140526.models.DescribeInstancesResponseBody;
import com.aliyun.ecs20140526.models.DescribeSnapshotsRequest;
import com.aliyun.ecs20140526.models.DescribeSnapshotsResponseBody;
import com.aliyun.ecs20140526.models.ModifyInstanceAutoReleaseTimeRequest;
import com.aliyun.ecs20140526.models.RunInstancesRequest;
import com.aliyun.ecs20140526.models.StartInstanceRequest;
import com.aliyun.ecs20140526.models.StopInstanceRequest;
import dev.baton.vm.Kind;
import dev.baton.vm.Trouble;
import dev.baton.vm.spi.Cancel;
import dev.baton.vm.spi.Found;
import dev.baton.vm.spi.ProviderException;
import dev.baton.vm.spi.Request;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Machines, and the images and snapshots of their disks. */
final class Machines {
  private static final int PAGE = 100;
  private static final Duration SETTLING = Duration.ofMinutes(5);
  private static final Duration LOOK = Duration.ofSeconds(3);
  private static final Duration EARLIEST_RELEASE = Duration.ofMinutes(30);
  private static final Duration MARGIN = Duration.ofMinutes(1);
  private static final String ALL_IMAGES = "Creating,Waiting,Available,UnAvailable,CreateFailed";

  private final Api api;

  Machines(Api api) {
    this.api = api;
  }

  // ---- machines

  /**
   * @param type the one to try
   * @param tokenPart what makes the client token of this try differ from those of others
   */
  Found runInstance(Request request, String type, String image, String tokenPart, Cancel cancel)
      throws ProviderException, InterruptedException {
    Map<String, String> p = request.parameters();
    RunInstancesRequest asked =
        new RunInstancesRequest()
            .setRegionId(api.region())
            .setInstanceType(type)
            .setImageId(image)
            .setVSwitchId(p.get(Kind.SUBNET.key()))
            .setSecurityGroupId(p.get(Kind.SECURITY_GROUP.key()))
            .setKeyPairName(p.get(Kind.KEY_PAIR.key()))
            .setSystemDisk(
                new RunInstancesRequest.RunInstancesRequestSystemDisk()
                    .setSize(p.getOrDefault("disk_gb", "40"))
                    // What ECS takes by itself is not to be had for newer types.
                    .setCategory(p.getOrDefault("disk_category", "cloud_essd"))
                    .setDiskName(Marks.name(request))
                    .setDescription(Marks.description(request)))
            .setInstanceName(Marks.name(request))
            .setDescription(Marks.description(request))
            .setInstanceChargeType("PostPaid")
            // Addresses are resources of their own.
            .setInternetMaxBandwidthOut(0)
            .setAmount(1)
            .setTag(
                Marks.tags(request).entrySet().stream()
                    .map(
                        t ->
                            new RunInstancesRequest.RunInstancesRequestTag()
                                .setKey(t.getKey())
                                .setValue(t.getValue()))
                    .toList())
            .setClientToken(Marks.clientToken(request, tokenPart));
    if (p.containsKey("release_at")) {
      asked.setAutoReleaseTime(releaseTime(Instant.parse(p.get("release_at")), api.clock.now()));
    }
    List<String> ids =
        api.ask("create the instance", cancel, how -> api.ecs.runInstancesWithOptions(asked, how))
            .getBody()
            .getInstanceIdSets()
            .getInstanceIdSet();
    return ListedResource.created(request, ids.get(0), Map.of("instance_type", type));
  }

  /**
   * ECS takes no time that is less than half an hour ahead. What is too early is moved by a fixed
   * time, so that a second try says the same as the first; a try that comes too late even for that
   * says something else on purpose: ECS then tells it apart, instead of refusing the time of a
   * machine that is there.
   */
  static String releaseTime(Instant wanted, Instant now) {
    Instant earliest = now.plus(EARLIEST_RELEASE);
    Instant moved = wanted.plus(EARLIEST_RELEASE).plus(MARGIN);
    Instant time = wanted;
    if (wanted.isBefore(earliest.plus(MARGIN))) {
      time = moved.isBefore(earliest.plus(MARGIN)) ? earliest.plus(MARGIN.multipliedBy(2)) : moved;
    }
    return CloudClock.SECONDS.format(time);
  }

  List<ListedResource> instances(Sought sought, Cancel cancel)
      throws ProviderException, InterruptedException {
    return api.all(
        "look for instances",
        PAGE,
        cancel,
        (page, how) -> {
          DescribeInstancesRequest asked =
              new DescribeInstancesRequest()
                  .setRegionId(api.region())
                  .setInstanceIds(sought.idsAsJson())
                  .setTag(
                      sought.tags(
                          (k, v) ->
                              new DescribeInstancesRequest.DescribeInstancesRequestTag()
                                  .setKey(k)
                                  .setValue(v)))
                  .setPageSize(PAGE)
                  .setPageNumber(page);
          var response = api.ecs.describeInstancesWithOptions(asked, how);
          var body = response.getBody();
          return new Api.Slice<>(
              body.getInstances().getInstance().stream().map(Machines::seen).toList(),
              body.getTotalCount(),
              response.getHeaders());
        });
  }

  private static ListedResource seen(
      DescribeInstancesResponseBody.DescribeInstancesResponseBodyInstancesInstance i) {
    Map<String, String> tags = new LinkedHashMap<>();
    if (i.getTags() != null && i.getTags().getTag() != null) {
      i.getTags()
          .getTag()
          .forEach(t -> tags.put(t.getTagKey(), ListedResource.text(t.getTagValue())));
    }
    ListedResource seen =
        new ListedResource(
                Kind.INSTANCE,
                i.getInstanceId(),
                i.getStatus(),
                i.getInstanceName(),
                i.getDescription(),
                tags,
                i.getCreationTime())
            .with("instance_type", i.getInstanceType())
            .with("zone_id", i.getZoneId());
    if (seen.status().equals("Stopped")) {
      seen.with("stopped_mode", i.getStoppedMode());
      // Asked for StopCharging or not: this is what ECS has made of it. It is Not-applicable where
      // a type cannot do it.
      if (!"StopCharging".equals(i.getStoppedMode())) {
        seen.with(Found.BILLED_WHILE_STOPPED, true);
      }
    }
    if (i.getEipAddress() != null) {
      seen.with("ip", i.getEipAddress().getIpAddress());
    }
    return seen;
  }

  Optional<ListedResource> instance(String id, Cancel cancel)
      throws ProviderException, InterruptedException {
    return instances(Sought.id(id), cancel).stream().findFirst();
  }

  private ListedResource require(String id, Cancel cancel)
      throws ProviderException, InterruptedException {
    return instance(id, cancel)
        .orElseThrow(
            () -> new ProviderException(Trouble.NOT_FOUND, "instance " + id + " does not exist"));
  }

  void start(String id, Cancel cancel) throws ProviderException, InterruptedException {
    if (isAlready(id, "Starting", "Running", cancel)) {
      return;
    }
    StartInstanceRequest asked = new StartInstanceRequest().setInstanceId(id);
    api.ask("start the instance", cancel, how -> api.ecs.startInstanceWithOptions(asked, how));
  }

  /** So that only its disk is billed, where its type lets it; the next look tells otherwise. */
  void stop(String id, Cancel cancel) throws ProviderException, InterruptedException {
    if (isAlready(id, "Stopping", "Stopped", cancel)) {
      return;
    }
    StopInstanceRequest asked =
        new StopInstanceRequest().setInstanceId(id).setStoppedMode("StopCharging");
    api.ask("stop the instance", cancel, how -> api.ecs.stopInstanceWithOptions(asked, how));
  }

  /** What is on its way to somewhere else is waited for: it takes no orders. */
  private boolean isAlready(String id, String onItsWay, String there, Cancel cancel)
      throws ProviderException, InterruptedException {
    ListedResource[] last = {require(id, cancel)};
    boolean settled =
        Api.await(
            SETTLING,
            LOOK,
            cancel,
            () -> {
              if (List.of("Running", "Stopped", onItsWay).contains(last[0].status())) {
                return true;
              }
              last[0] = require(id, cancel);
              return false;
            });
    if (!settled) {
      throw new ProviderException(
          Trouble.UNAVAILABLE, "instance " + id + " stays " + last[0].status());
    }
    return List.of(onItsWay, there).contains(last[0].status());
  }

  void releaseAfter(String id, Optional<Duration> time, Cancel cancel)
      throws ProviderException, InterruptedException {
    Instant now = api.clock.now();
    ModifyInstanceAutoReleaseTimeRequest asked =
        new ModifyInstanceAutoReleaseTimeRequest().setInstanceId(id);
    time.ifPresent(t -> asked.setAutoReleaseTime(releaseTime(now.plus(t), now)));
    api.ask(
        "set when the instance is released",
        cancel,
        how -> api.ecs.modifyInstanceAutoReleaseTimeWithOptions(asked, how));
  }

  void deleteInstance(String id, Cancel cancel) throws ProviderException, InterruptedException {
    DeleteInstanceRequest asked = new DeleteInstanceRequest().setInstanceId(id).setForce(true);
    api.delete("delete the instance", cancel, how -> api.ecs.deleteInstanceWithOptions(asked, how));
  }

  // ---- snapshots

  Found createSnapshot(Request request, Cancel cancel)
      throws ProviderException, InterruptedException {
    String instance = request.parameters().getOrDefault(Kind.INSTANCE.key(), "");
    CreateSnapshotRequest asked =
        new CreateSnapshotRequest()
            .setDiskId(systemDisk(instance, cancel))
            .setSnapshotName(Marks.name(request))
            .setDescription(Marks.description(request))
            .setTag(
                Marks.tags(request).entrySet().stream()
                    .map(
                        t ->
                            new CreateSnapshotRequest.CreateSnapshotRequestTag()
                                .setKey(t.getKey())
                                .setValue(t.getValue()))
                    .toList())
            .setClientToken(Marks.clientToken(request, ""));
    String id =
        api.ask("create the snapshot", cancel, how -> api.ecs.createSnapshotWithOptions(asked, how))
            .getBody()
            .getSnapshotId();
    return ListedResource.created(request, id, Map.of());
  }

  private String systemDisk(String instance, Cancel cancel)
      throws ProviderException, InterruptedException {
    DescribeDisksRequest asked =
        new DescribeDisksRequest()
            .setRegionId(api.region())
            .setInstanceId(instance)
            .setDiskType("system");
    var disks =
        api.ask("look for the disk", cancel, how -> api.ecs.describeDisksWithOptions(asked, how))
            .getBody()
            .getDisks()
            .getDisk();
    if (disks.isEmpty()) {
      throw new ProviderException(
          Trouble.NOT_FOUND, "instance " + instance + " has no system disk");
    }
    return disks.get(0).getDiskId();
  }

  List<ListedResource> snapshots(Sought sought, Cancel cancel)
      throws ProviderException, InterruptedException {
    return api.all(
        "look for snapshots",
        PAGE,
        cancel,
        (page, how) -> {
          DescribeSnapshotsRequest asked =
              new DescribeSnapshotsRequest()
                  .setRegionId(api.region())
                  .setSnapshotIds(sought.idsAsJson())
                  .setTag(
                      sought.tags(
                          (k, v) ->
                              new DescribeSnapshotsRequest.DescribeSnapshotsRequestTag()
                                  .setKey(k)
                                  .setValue(v)))
                  .setPageSize(PAGE)
                  .setPageNumber(page);
          var response = api.ecs.describeSnapshotsWithOptions(asked, how);
          var body = response.getBody();
          return new Api.Slice<>(
              body.getSnapshots().getSnapshot().stream().map(Machines::seen).toList(),
              body.getTotalCount(),
              response.getHeaders());
        });
  }

  private static ListedResource seen(
      DescribeSnapshotsResponseBody.DescribeSnapshotsResponseBodySnapshotsSnapshot s) {
    Map<String, String> tags = new LinkedHashMap<>();
    if (s.getTags() != null && s.getTags().getTag() != null) {
      s.getTags()
          .getTag()
          .forEach(t -> tags.put(t.getTagKey(), ListedResource.text(t.getTagValue())));
    }
    return new ListedResource(
            Kind.SNAPSHOT,
            s.getSnapshotId(),
            s.getStatus(),
            s.getSnapshotName(),
            s.getDescription(),
            tags,
            s.getCreationTime())
        .with("disk_gb", s.getSourceDiskSize());
  }

  void deleteSnapshot(String id, Cancel cancel) throws ProviderException, InterruptedException {
    DeleteSnapshotRequest asked = new DeleteSnapshotRequest().setSnapshotId(id);
    api.delete("delete the snapshot", cancel, how -> api.ecs.deleteSnapshotWithOptions(asked, how));
  }

  // ---- images

  Found createImage(Request request, Cancel cancel) throws ProviderException, InterruptedException {
    String snapshot = request.parameters().getOrDefault(Kind.SNAPSHOT.key(), "");
    String name = Marks.uniqueName(request, snapshot);
    CreateImageRequest asked =
        new CreateImageRequest()
            .setRegionId(api.region())
            .setSnapshotId(snapshot)
            .setImageName(name)
            .setDescription(Marks.description(request))
            .setTag(
                Marks.tags(request).entrySet().stream()
                    .map(
                        t ->
                            new CreateImageRequest.CreateImageRequestTag()
                                .setKey(t.getKey())
                                .setValue(t.getValue()))
                    .toList())
            .setClientToken(Marks.clientToken(request, ""));
    String id =
        api.ask("create the image", cancel, how -> api.ecs.createImageWithOptions(asked, how))
            .getBody()
            .getImageId();
    return ListedResource.created(request, id, Map.of());
  }

  List<ListedResource> images(Sought sought, Cancel cancel)
      throws ProviderException, InterruptedException {
    return images(
        sought.id().isEmpty() ? "self" : null,
        sought,
        sought.id().isEmpty() ? null : sought.id(),
        cancel);
  }

  private List<ListedResource> images(String whose, Sought sought, String id, Cancel cancel)
      throws ProviderException, InterruptedException {
    return api.all(
        "look for images",
        PAGE,
        cancel,
        (page, how) -> {
          DescribeImagesRequest asked =
              new DescribeImagesRequest()
                  .setRegionId(api.region())
                  .setImageId(id)
                  .setImageOwnerAlias(whose)
                  .setStatus(ALL_IMAGES)
                  .setTag(
                      sought.tags(
                          (k, v) ->
                              new DescribeImagesRequest.DescribeImagesRequestTag()
                                  .setKey(k)
                                  .setValue(v)))
                  .setPageSize(PAGE)
                  .setPageNumber(page);
          var response = api.ecs.describeImagesWithOptions(asked, how);
          var body = response.getBody();
          return new Api.Slice<>(
              body.getImages().getImage().stream().map(Machines::seen).toList(),
              body.getTotalCount(),
              response.getHeaders());
        });
  }

  private static ListedResource seen(
      DescribeImagesResponseBody.DescribeImagesResponseBodyImagesImage i) {
    Map<String, String> tags = new LinkedHashMap<>();
    if (i.getTags() != null && i.getTags().getTag() != null) {
      i.getTags()
          .getTag()
          .forEach(t -> tags.put(t.getTagKey(), ListedResource.text(t.getTagValue())));
    }
    return new ListedResource(
        Kind.IMAGE,
        i.getImageId(),
        i.getStatus(),
        i.getImageName(),
        i.getDescription(),
        tags,
        i.getCreationTime());
  }

  /**
   * @param wanted an id, or the beginning of the ids of a system image's editions and a star: the
   *     newest one then
   * @throws ProviderException with {@code BAD_REQUEST} when there is none
   */
  String imageId(String wanted, Cancel cancel) throws ProviderException, InterruptedException {
    Optional<String> id;
    if (wanted.endsWith("*")) {
      String start = wanted.substring(0, wanted.length() - 1);
      // Their ids end with a date.
      id =
          images("system", Sought.ALL, null, cancel).stream()
              .filter(i -> i.status().equals("Available"))
              .map(ListedResource::id)
              .filter(i -> i.startsWith(start))
              .max(Comparator.naturalOrder());
    } else {
      id = images(Sought.id(wanted), cancel).stream().map(ListedResource::id).findFirst();
    }
    return id.orElseThrow(
        () ->
            new ProviderException(
                Trouble.BAD_REQUEST,
                "this account has no image " + wanted + " in " + api.region()));
  }

  void deleteImage(String id, Cancel cancel) throws ProviderException, InterruptedException {
    DeleteImageRequest asked =
        new DeleteImageRequest().setRegionId(api.region()).setImageId(id).setForce(true);
    api.delete("delete the image", cancel, how -> api.ecs.deleteImageWithOptions(asked, how));
  }
}
