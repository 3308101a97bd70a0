/** VMs as the front ends use them: where their states are and which cloud they are in. */
package dev.baton.client.vm;
