package com.example.shelf;

import dev.baton.core.HostEnvironment;
import dev.baton.queue.spi.StoreProvider;
import dev.baton.store.FileStores;
import dev.baton.store.StoreSpace;

/** Makes {@code shelf:BOARD} work wherever a store is named. */
public final class ShelfStore implements StoreProvider {

  @Override
  public String scheme() {
    return Shelf.SCHEME;
  }

  @Override
  public String normalized(String address) {
    return Shelf.SCHEME + ":" + Shelf.board(address);
  }

  @Override
  public StoreSpace open(String address, String queue, HostEnvironment host) {
    return FileStores.in(Shelf.root(host).resolve(Shelf.board(address)).resolve(queue));
  }
}
