/**
 * A queue's documents in a bucket of Alibaba Cloud's Object Storage Service.
 *
 * <p>{@link dev.baton.alibaba.oss.OssSpace} is the way in, {@link
 * dev.baton.alibaba.oss.OssStoreProvider} the way in for {@code oss://BUCKET/PREFIX}. How a
 * compare-and-set is made of a service that has none is in {@code
 * docs/adr/0006-compare-and-set-on-oss.md} and at {@code OssDocument}.
 */
package dev.baton.alibaba.oss;
