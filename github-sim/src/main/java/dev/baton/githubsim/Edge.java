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

/** Between WireMock's types and ours. */
final class Edge implements ResponseTransformerV2 {
  static final String NAME = "github";

  private volatile Service service;

  void serve(Service behind) {
    service = behind;
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
        service.answer(
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
}
