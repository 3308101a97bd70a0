/**
 * Small text documents that are changed only by compare-and-set, and the places that hold them.
 *
 * <p>{@link dev.baton.store.VersionedStore} is one document, {@link dev.baton.store.StoreSpace} a
 * place with a few of them. {@link dev.baton.store.MemoryStores} lives and dies with its process;
 * {@link dev.baton.store.FileStores} is shared by the processes of one machine and survives a kill
 * or a power cut at any instruction.
 *
 * <p><b>Equal contents.</b> A {@link dev.baton.store.Version} stands for a content, not for the
 * write that brought it. A document that went from A to B and back to A is at its first version
 * again, and a write that expects A succeeds. Whoever must tell the two apart puts something into
 * the content that never comes back, such as a number that grows with each write.
 *
 * <p>What every store promises is written down, as tests, in {@code VersionedStoreContract} among
 * the test fixtures.
 */
package dev.baton.store;
