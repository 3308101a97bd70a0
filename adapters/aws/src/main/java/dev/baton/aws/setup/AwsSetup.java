package dev.baton.aws.setup;

import dev.baton.aws.account.AwsAccount;
import dev.baton.aws.dynamodb.DynamoPlace;
import dev.baton.aws.dynamodb.TableSetup;
import dev.baton.aws.s3.BucketSetup;
import dev.baton.aws.s3.S3Place;
import dev.baton.core.BadSetting;
import dev.baton.core.HostEnvironment;
import dev.baton.core.adapter.StoreSetup;
import dev.baton.store.StoreException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/** Makes and checks buckets of S3 and tables of DynamoDB. */
public final class AwsSetup implements StoreSetup {

  @Override
  public String command() {
    return "aws";
  }

  @Override
  public Session open(List<String> addresses, HostEnvironment host) {
    Map<String, Set<String>> buckets = new LinkedHashMap<>();
    Set<String> tables = new LinkedHashSet<>();
    try {
      for (String address : addresses) {
        if (address.startsWith("s3:")) {
          S3Place place = S3Place.parse(address);
          buckets.computeIfAbsent(place.bucket(), b -> new TreeSet<>()).add(place.prefix());
          place.locks().ifPresent(tables::add);
        } else {
          tables.add(DynamoPlace.tableOf(address));
        }
      }
    } catch (IllegalArgumentException e) {
      throw BadSetting.of(e, "Use s3://BUCKET, s3://BUCKET/PREFIX or dynamodb://TABLE.");
    }
    return new Places(buckets, tables, AwsAccount.of(host));
  }

  private static final class Places implements Session {
    private final List<BucketSetup> buckets = new ArrayList<>();
    private final List<TableSetup> tables = new ArrayList<>();

    Places(Map<String, Set<String>> buckets, Set<String> tables, AwsAccount account) {
      buckets.forEach(
          (name, prefixes) -> this.buckets.add(new BucketSetup(name, prefixes, account)));
      tables.forEach(name -> this.tables.add(new TableSetup(name, account)));
    }

    @Override
    public List<Part> look() throws StoreException {
      List<Part> parts = new ArrayList<>();
      for (BucketSetup bucket : buckets) {
        parts.addAll(bucket.look());
      }
      for (TableSetup table : tables) {
        parts.addAll(table.look());
      }
      return parts;
    }

    @Override
    public void change(Consumer<Part> done) throws StoreException, InterruptedException {
      for (BucketSetup bucket : buckets) {
        bucket.change(done);
      }
      for (TableSetup table : tables) {
        table.change(done);
      }
    }

    @Override
    public void close() {
      buckets.forEach(BucketSetup::close);
      tables.forEach(TableSetup::close);
    }
  }
}
