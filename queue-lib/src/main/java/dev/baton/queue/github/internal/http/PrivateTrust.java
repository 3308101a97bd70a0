package dev.baton.queue.github.internal.http;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.Collection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

/** The certificates that this Java trusts, and those of a file: a company's own, for example. */
public record PrivateTrust(SSLSocketFactory sockets, X509TrustManager manager) {

  /**
   * @param pem one or more certificates
   * @throws IllegalArgumentException when the file cannot be read or holds none
   */
  public static PrivateTrust with(Path pem) {
    Collection<? extends Certificate> added = read(pem);
    try {
      KeyStore all = KeyStore.getInstance(KeyStore.getDefaultType());
      all.load(null, null);
      int number = 0;
      for (X509Certificate own : managerOf(null).getAcceptedIssuers()) {
        all.setCertificateEntry("java-" + number++, own);
      }
      for (Certificate other : added) {
        all.setCertificateEntry("file-" + number++, other);
      }
      X509TrustManager manager = managerOf(all);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, new TrustManager[] {manager}, null);
      return new PrivateTrust(context.getSocketFactory(), manager);
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException("this Java cannot trust the certificates of " + pem, e);
    }
  }

  private static Collection<? extends Certificate> read(Path pem) {
    Collection<? extends Certificate> found;
    try (InputStream in = new BufferedInputStream(Files.newInputStream(pem))) {
      found = CertificateFactory.getInstance("X.509").generateCertificates(in);
    } catch (IOException e) {
      throw new IllegalArgumentException("the file of certificates cannot be read: " + pem, e);
    } catch (CertificateException e) {
      throw new IllegalArgumentException(
          "the file of certificates must have certificates in PEM form: " + pem, e);
    }
    if (found.isEmpty()) {
      throw new IllegalArgumentException("the file of certificates has none in it: " + pem);
    }
    return found;
  }

  private static X509TrustManager managerOf(KeyStore store) throws GeneralSecurityException {
    TrustManagerFactory factory =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(store);
    return Arrays.stream(factory.getTrustManagers())
        .filter(X509TrustManager.class::isInstance)
        .map(X509TrustManager.class::cast)
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("this Java has no trust manager for TLS"));
  }
}
