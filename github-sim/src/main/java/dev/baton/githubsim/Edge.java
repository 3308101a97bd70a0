package dev.baton.githubsim;

import com.github.tomakehurst.wiremock.extension.ResponseTransformerV2;
import com.github.tomakehurst.wiremock.http.HttpHeader;
import com.github.tomakehurst.wiremock.http.HttpHeaders;
import com.github.tomakehurst.wiremock.http.Request;
import com.github.tomakehurst.wiremock.http.Response;
import com.github.tomakehurst.wiremock.stubbing.ServeEvent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Between WireMock's types and ours. */
final class Edge implements ResponseTransformerV2 {
  static final String NAME = "github";

  private volatile Service service;
  private volatile Pages pages;
  private volatile Optional<Control> control = Optional.empty();

  void serve(Service newService, Pages newPages) {
    service = newService;
    pages = newPages;
  }

  void control(Control newControl) {
    control = Optional.of(newControl);
  }

  @Override
  public String getName() {
    return NAME;
  }

  @Override
  public boolean applyGlobally() {
    return false;
  }

  @Override
  public Response transform(Response response, ServeEvent event) {
    Request request = event.getRequest();
    String url = request.getUrl();
    int mark = url.indexOf('?');
    Map<String, String> headers = new HashMap<>();
    for (String name : request.getAllHeaderKeys()) {
      headers.put(name.toLowerCase(Locale.ROOT), request.getHeader(name));
    }
    Service.Answer answer =
        answer(
            request.getMethod().getName(),
            mark < 0 ? url : url.substring(0, mark),
            mark < 0 ? "" : url.substring(mark + 1),
            headers,
            request.getBodyAsString());
    if (answer instanceof Service.Dropped) {
      return Response.response()
          .fault(com.github.tomakehurst.wiremock.http.Fault.CONNECTION_RESET_BY_PEER)
          .build();
    }
    Service.Sent sent = (Service.Sent) answer;
    List<HttpHeader> out = new ArrayList<>();
    sent.headers().forEach((name, values) -> out.add(new HttpHeader(name, values)));
    return Response.response()
        .status(sent.status())
        .headers(new HttpHeaders(out))
        .body(sent.body())
        .build();
  }

  private Service.Answer answer(
      String method, String path, String query, Map<String, String> headers, String body) {
    Optional<Control> steering = control;
    if (steering.isPresent() && Control.owns(path)) {
      return steering.get().answer(method, path, headers, body);
    }
    if (Pages.owns(method, path, headers)) {
      return pages.answer(path);
    }
    return service.answer(method, path, query, headers, body);
  }
}
