package dev.baton.store;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MemoryStoresTest extends VersionedStoreContract {
  private final MemoryStores stores = new MemoryStores();

  @Override
  protected StoreSpace open() {
    return stores;
  }

  @Override
  protected int winsPerThread() {
    return 500;
  }

  @Test
  void twoInstancesAreTwoPlaces() throws StoreException {
    stores.document("queue").write(Version.ABSENT, "one", "");

    assertThat(new MemoryStores().document("queue").read()).isEqualTo(Snapshot.ABSENT);
  }

  @Test
  void showsWhatWasSetAside() throws StoreException {
    VersionedStore queue = stores.document("queue");
    assertThat(stores.setAside("queue")).isEmpty();
    queue.write(Version.ABSENT, "broken", "");

    String first = queue.setAside(queue.read());
    String again = queue.setAside(queue.read());

    assertThat(again).isEqualTo(first);
    assertThat(stores.setAside("queue")).containsExactly("broken");
    assertThat(stores.setAside("no-such-document")).isEmpty();
  }
}
