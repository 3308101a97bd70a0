/** Queues, VM states and VMs on Alibaba Cloud: what front ends know of it before they load it. */
package dev.baton.alibaba;
