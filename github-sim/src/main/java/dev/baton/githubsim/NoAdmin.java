package dev.baton.githubsim;

import com.github.tomakehurst.wiremock.core.Options;
import com.github.tomakehurst.wiremock.http.AdminRequestHandler;
import com.github.tomakehurst.wiremock.http.HttpServer;
import com.github.tomakehurst.wiremock.http.HttpServerFactory;
import com.github.tomakehurst.wiremock.http.StubRequestHandler;
import com.github.tomakehurst.wiremock.jetty11.Jetty11HttpServer;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.handler.HandlerWrapper;

/** GitHub has no {@code /__admin}; WireMock's would let anybody reset the server. */
final class NoAdmin implements HttpServerFactory {
  @Override
  public HttpServer buildHttpServer(
      Options options, AdminRequestHandler admin, StubRequestHandler stubs) {
    return new Jetty11HttpServer(options, admin, stubs) {
      @Override
      protected Handler createHandler(
          Options all, AdminRequestHandler toAdmin, StubRequestHandler toStubs) {
        HandlerWrapper first = new Gone();
        first.setHandler(super.createHandler(all, toAdmin, toStubs));
        return first;
      }
    };
  }

  private static final class Gone extends HandlerWrapper {
    @Override
    public void handle(
        String target, Request base, HttpServletRequest request, HttpServletResponse response)
        throws IOException, ServletException {
      if (target.equals("/__admin") || target.startsWith("/__admin/")) {
        response.setStatus(HttpServletResponse.SC_NOT_FOUND);
        base.setHandled(true);
      } else {
        super.handle(target, base, request, response);
      }
    }
  }
}
