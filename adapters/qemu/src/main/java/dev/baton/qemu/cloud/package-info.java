/** The cloud {@code qemu}: what Baton asks of a cloud, done with the machines of a node. */
package dev.baton.qemu.cloud;
