/** How the HTTP client connects: proxies, certificates and sockets. */
package dev.baton.queue.github.internal.http;
