package dev.baton.alibaba.ecs;

import dev.baton.vm.DeploySpec;
import dev.baton.vm.Kind;
import dev.baton.vm.Resource;
import dev.baton.vm.Trouble;
import dev.baton.vm.VmName;
import dev.baton.vm.spi.Cancel;
import dev.baton.vm.spi.Found;
import dev.baton.vm.spi.Owner;
import dev.baton.vm.spi.Parents;
import dev.baton.vm.spi.Provider;
import dev.baton.vm.spi.ProviderException;
import dev.baton.vm.spi.Request;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * VMs on Alibaba Cloud, in one region.
 *
 * <p>An instance type and a zone may be lists with commas. The zone is chosen, by what is in stock,
 * when the subnet is created; the type when the instance is, each try with a client token of its
 * own, since ECS remembers a refusal for lack of stock. If none can be had there after all, the
 * next of the given zones is tried, with a subnet of its own. An image may be the beginning of an
 * id and a star: the newest system image of that name.
 */
final class AliyunProvider implements Provider {
  /** Longer than anybody has seen a new resource hide. */
  private static final Duration VISIBILITY = Duration.ofSeconds(30);

  /** ECS promises a day; the rest is for clocks that differ. */
  private static final Duration TOKEN_LIFE = Duration.ofHours(23);

  private static final int SEARCH_ATTEMPTS = 4;

  private static final Traits TRAITS =
      new Traits(
          "aliyun",
          List.of(
              Kind.NETWORK,
              Kind.SUBNET,
              Kind.SECURITY_GROUP,
              Kind.KEY_PAIR,
              Kind.IMAGE,
              Kind.INSTANCE,
              Kind.ADDRESS,
              Kind.APPLICATION,
              Kind.SNAPSHOT),
          true,
          true,
          TOKEN_LIFE,
          VISIBILITY,
          true);

  private final Api api;
  private final AliyunSettings settings;
  private final Networks networks;
  private final AccessResources accessResources;
  private final Machines machines;
  private final Scripts scripts;
  private final Stock stock;

  AliyunProvider(Api api, AliyunSettings settings) {
    this.api = Objects.requireNonNull(api, "api");
    this.settings = Objects.requireNonNull(settings, "settings");
    this.networks = new Networks(api);
    this.accessResources = new AccessResources(api);
    this.machines = new Machines(api);
    this.scripts = new Scripts(api, machines);
    this.stock = new Stock(api);
  }

  Scripts scripts() {
    return scripts;
  }

  AccessResources accessResources() {
    return accessResources;
  }

  @Override
  public Traits traits() {
    return TRAITS;
  }

  // ---- before anything is created

  @Override
  public void validate(DeploySpec spec, Set<Kind> toCreate, Cancel cancel)
      throws ProviderException, InterruptedException {
    if (!spec.region().equals(api.region())) {
      throw new ProviderException(
          Trouble.BAD_REQUEST,
          "region "
              + spec.region()
              + " is asked for, and the access is to "
              + api.region()
              + ": set ALIBABA_CLOUD_REGION_ID");
    }
    if (toCreate.contains(Kind.KEY_PAIR) && !spec.publicKey().isEmpty()) {
      PublicKeys.require(spec.publicKey());
    }
    if (toCreate.contains(Kind.APPLICATION) && spec.application().isPresent()) {
      int length = Scripts.encoded(spec.application().get().script()).length();
      if (length > Scripts.LONGEST) {
        throw new ProviderException(
            Trouble.BAD_REQUEST,
            "the script has "
                + length
                + " bytes when it is encoded, and Cloud Assistant takes "
                + Scripts.LONGEST
                + ": let it download the rest");
      }
    }
    if (!toCreate.contains(Kind.INSTANCE)) {
      return;
    }
    List<String> types = types(spec.instanceType());
    if (toCreate.contains(Kind.SUBNET)) {
      stock.zoneFor(types, Lists.of(spec.zone()), cancel);
    } else {
      // The zone is what it is; whether there is a machine in it is seen when it is asked for.
      for (String type : types) {
        stock.zonesWith(type, cancel);
      }
    }
    if (!toCreate.contains(Kind.IMAGE)) {
      machines.imageId(image(spec), cancel);
    }
  }

  private static List<String> types(String list) throws ProviderException {
    List<String> types = Lists.of(list);
    if (types.isEmpty()) {
      throw new ProviderException(Trouble.BAD_REQUEST, "no instance type was given");
    }
    return types;
  }

  private String image(DeploySpec spec) {
    return spec.image().isEmpty() ? settings.image() : spec.image();
  }

  @Override
  public Map<String, String> plan(
      Kind kind, DeploySpec spec, Map<Kind, Resource> have, Optional<String> snapshot) {
    Map<String, String> p = new LinkedHashMap<>();
    switch (kind) {
      case NETWORK -> p.put("cidr", "192.168.0.0/16");
      case SUBNET -> {
        p.put("cidr", "192.168.0.0/24");
        p.put("zones", spec.zone());
        p.put("instance_types", spec.instanceType());
        Parents.put(p, have, Kind.NETWORK);
      }
      case SECURITY_GROUP -> {
        p.put("ssh_from", String.join(",", settings.sshFrom()));
        Parents.put(p, have, Kind.NETWORK);
      }
      case KEY_PAIR -> p.put("public_key", spec.publicKey());
      case IMAGE -> p.put(Kind.SNAPSHOT.key(), snapshot.orElseThrow());
      case INSTANCE -> {
        p.put("instance_types", spec.instanceType());
        p.put("disk_gb", Integer.toString(spec.diskGb()));
        p.put("disk_category", settings.disk());
        p.put("ssh_from", String.join(",", settings.sshFrom()));
        Parents.put(p, have, Kind.SUBNET, Kind.SECURITY_GROUP, Kind.KEY_PAIR);
        if (snapshot.isPresent()) {
          Parents.put(p, have, Kind.IMAGE);
        } else {
          p.put("image_id", image(spec));
        }
      }
      case ADDRESS -> p.put("bandwidth", Integer.toString(settings.bandwidth()));
      case APPLICATION -> {
        p.put("fingerprint", spec.application().orElseThrow().fingerprint());
        Parents.put(p, have, Kind.INSTANCE);
      }
      case SNAPSHOT -> Parents.put(p, have, Kind.INSTANCE);
      case DISK -> throw noFurtherDisks();
    }
    return p;
  }

  // ---- creating

  /** Only zones that were given: whoever gave none gets the one that had most to offer. */
  @Override
  public Optional<DeploySpec> elsewhere(DeploySpec spec, Map<Kind, Resource> have) {
    String soldOut =
        Optional.ofNullable(have.get(Kind.SUBNET))
            .map(subnet -> subnet.attributes().getOrDefault("zone_id", ""))
            .orElse("");
    return spec.withoutZone(soldOut);
  }

  @Override
  public Found create(Request request, Cancel cancel)
      throws ProviderException, InterruptedException {
    return switch (request.kind()) {
      case NETWORK -> networks.createNetwork(request, cancel);
      case SUBNET -> createSubnet(request, cancel);
      case SECURITY_GROUP -> accessResources.createGroup(request, cancel);
      case KEY_PAIR -> accessResources.importKey(request, cancel);
      case IMAGE -> machines.createImage(request, cancel);
      case INSTANCE -> createInstance(request, cancel);
      case ADDRESS -> networks.createAddress(request, cancel);
      case APPLICATION -> scripts.run(request, cancel);
      case SNAPSHOT -> machines.createSnapshot(request, cancel);
      case DISK -> throw noFurtherDisks();
    };
  }

  /** Of what {@link #disks} does not promise. */
  private static UnsupportedOperationException noFurtherDisks() {
    return new UnsupportedOperationException("this cloud attaches no further disks");
  }

  /**
   * Where there is a zone to choose, a second try could come to another one than the first: so what
   * the first has created is looked for. If it does not show yet, ECS tells that the token was used
   * before, and it is removed.
   */
  private Found createSubnet(Request request, Cancel cancel)
      throws ProviderException, InterruptedException {
    List<String> zones = Lists.of(request.parameters().getOrDefault("zones", ""));
    if (zones.size() == 1) {
      return networks.createSubnet(request, zones.get(0), cancel);
    }
    Optional<Found> before = networks.subnetOf(request, cancel);
    if (before.isPresent()) {
      return before.get();
    }
    List<String> types = types(request.parameters().getOrDefault("instance_types", ""));
    return networks.createSubnet(request, stock.zoneFor(types, zones, cancel), cancel);
  }

  private Found createInstance(Request request, Cancel cancel)
      throws ProviderException, InterruptedException {
    List<String> types = types(request.parameters().getOrDefault("instance_types", ""));
    if (types.size() > 1) {
      // A type that was sold out at the first try may be in stock at the second.
      Optional<Found> before =
          machines.instances(Sought.tag(Marks.TOKEN, request.token()), cancel).stream()
              .map(i -> i.found(api.clock))
              .filter(f -> f.owner().equals(Optional.of(request.owner())))
              .findFirst();
      if (before.isPresent()) {
        return before.get();
      }
    }
    String group = request.parameters().get(Kind.SECURITY_GROUP.key());
    if (group != null) {
      accessResources.letSshIn(
          group, Lists.of(request.parameters().getOrDefault("ssh_from", "")), cancel);
    }
    String made = request.parameters().get(Kind.IMAGE.key());
    String image =
        made != null
            ? made
            : machines.imageId(
                request.parameters().getOrDefault("image_id", settings.image()), cancel);
    ProviderException last = null;
    for (int i = 0; i < types.size(); i++) {
      try {
        // The first with the intent's own token, which people find in the journal.
        String part = i == 0 ? "" : types.get(i);
        return machines.runInstance(request, types.get(i), image, part, cancel);
      } catch (ProviderException e) {
        if (e.trouble() != Trouble.OUT_OF_STOCK) {
          throw e;
        }
        last = e;
      }
    }
    throw new ProviderException(
        Trouble.OUT_OF_STOCK,
        String.join(", ", types)
            + (types.size() == 1 ? " is" : " are")
            + " out of stock in the zone of the subnet ("
            + Objects.requireNonNull(last).what()
            + ")",
        "Name other types or zones, with commas between them, or try later.");
  }

  // ---- looking

  @Override
  public Optional<Found> describe(Kind kind, String id, Cancel cancel)
      throws ProviderException, InterruptedException {
    try {
      if (kind == Kind.APPLICATION) {
        return scripts.describe(id, cancel);
      }
      return look(kind, Sought.id(id), cancel).stream()
          .filter(s -> s.id().equals(id))
          .findFirst()
          .map(s -> s.found(api.clock));
    } catch (ProviderException e) {
      // Some lists are empty then, and some are an error.
      if (e.trouble() == Trouble.NOT_FOUND) {
        return Optional.empty();
      }
      throw e;
    }
  }

  private List<ListedResource> look(Kind kind, Sought sought, Cancel cancel)
      throws ProviderException, InterruptedException {
    return switch (kind) {
      case NETWORK -> networks.networks(sought.id(), cancel);
      case SUBNET -> networks.subnets(sought.id(), cancel);
      case ADDRESS -> networks.addresses(sought.id(), cancel);
      case SECURITY_GROUP -> accessResources.groups(sought, cancel);
      case KEY_PAIR -> accessResources.keys(sought, cancel);
      case IMAGE -> machines.images(sought, cancel);
      case INSTANCE -> machines.instances(sought, cancel);
      case SNAPSHOT -> machines.snapshots(sought, cancel);
      case APPLICATION, DISK -> List.of();
    };
  }

  @Override
  public List<Found> findOwned(String space, Optional<VmName> vm, Cancel cancel)
      throws ProviderException, InterruptedException {
    List<Found> found = new ArrayList<>();
    for (Kind kind : TRAITS.kinds()) {
      // Where there are no tags to ask for, all there is of a kind is looked at.
      for (ListedResource seen : patiently(kind, Sought.tag(Marks.SPACE, space), cancel)) {
        Found f = seen.found(api.clock);
        if (!isOf(f.owner(), space, vm)) {
          continue;
        }
        found.add(f);
        if (kind == Kind.INSTANCE) {
          Scripts.on(seen, api.clock).ifPresent(found::add);
        }
      }
    }
    return found;
  }

  /**
   * A search is a dozen requests and more: if one of them fails, those who call would begin with
   * the first again, and be throttled all the more.
   */
  private List<ListedResource> patiently(Kind kind, Sought sought, Cancel cancel)
      throws ProviderException, InterruptedException {
    for (int attempt = 1; ; attempt++) {
      try {
        return look(kind, sought, cancel);
      } catch (ProviderException e) {
        if (!e.trouble().isPassing() || attempt == SEARCH_ATTEMPTS) {
          throw e;
        }
        cancel.pause(e.retryAfter().orElse(Duration.ofSeconds(attempt)));
      }
    }
  }

  private static boolean isOf(Optional<Owner> owner, String space, Optional<VmName> vm) {
    return owner
        .filter(o -> o.space().equals(space) && (vm.isEmpty() || vm.get().equals(o.vm())))
        .isPresent();
  }

  // ---- deleting

  @Override
  public void delete(Kind kind, String id, Cancel cancel)
      throws ProviderException, InterruptedException {
    switch (kind) {
      case NETWORK -> networks.deleteNetwork(id, cancel);
      case SUBNET -> networks.deleteSubnet(id, cancel);
      case ADDRESS -> networks.releaseAddress(id, cancel);
      case SECURITY_GROUP -> accessResources.deleteGroup(id, cancel);
      case KEY_PAIR -> accessResources.deleteKey(id, cancel);
      case IMAGE -> machines.deleteImage(id, cancel);
      case INSTANCE -> machines.deleteInstance(id, cancel);
      case SNAPSHOT -> machines.deleteSnapshot(id, cancel);
      case APPLICATION -> scripts.forget(id, cancel);
      case DISK -> throw noFurtherDisks();
    }
  }

  // ---- using

  @Override
  public void start(String instance, Cancel cancel) throws ProviderException, InterruptedException {
    machines.start(instance, cancel);
  }

  @Override
  public void stop(String instance, Cancel cancel) throws ProviderException, InterruptedException {
    machines.stop(instance, cancel);
  }

  @Override
  public void bind(String address, String instance, Cancel cancel)
      throws ProviderException, InterruptedException {
    networks.bind(address, instance, cancel);
  }

  @Override
  public void releaseAfter(String instance, Optional<Duration> time, Cancel cancel)
      throws ProviderException, InterruptedException {
    machines.releaseAfter(instance, time, cancel);
  }
}
