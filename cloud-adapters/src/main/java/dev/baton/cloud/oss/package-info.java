/**
 * A queue's documents in a bucket of Alibaba Cloud's Object Storage Service.
 *
 * <p>{@link dev.baton.cloud.oss.OssSpace} is the way in, {@link
 * dev.baton.cloud.oss.OssStoreProvider} the way in for {@code oss://BUCKET/PREFIX}. How a
 * compare-and-set is made of a service that has none is in {@code
 * docs/adr/0006-compare-and-set-on-oss.md} and at {@code OssDocument}.
 */
package dev.baton.cloud.oss;
