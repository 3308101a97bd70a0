package dev.baton.alibaba.fake;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * How one kind of resource is described: in pages, by ids, fields and tags.
 *
 * @param ids the parameter with ids
 * @param filters fields by the parameter that asks for them
 */
record Listing(
    Kind kind, String outer, String inner, String ids, Map<String, String> filters, int most) {

  Map<String, Object> answer(
      ApiCall call, Account account, Function<Thing, Map<String, Object>> shown) {
    List<String> wanted = call.ids(ids);
    if (!call.get(ids).isEmpty() && wanted.size() > 100) {
      throw new ApiRefusal(400, "InvalidParameter", ids + " has too many elements.");
    }
    Map<String, String> tags = call.tags();
    List<Thing> found =
        account.listed(kind).stream()
            .filter(t -> wanted.isEmpty() || wanted.contains(t.id))
            .filter(t -> t.tags.entrySet().containsAll(tags.entrySet()))
            .filter(t -> fits(t, call, account))
            .toList();
    int size = call.number("PageSize", 10, most);
    int page = call.number("PageNumber", 1, 100_000);
    int from = Math.min(found.size(), (page - 1) * size);
    List<Map<String, Object>> part =
        found.subList(from, Math.min(found.size(), from + size)).stream().map(shown).toList();
    Map<String, Object> all = new LinkedHashMap<>();
    all.put(outer, Map.of(inner, part));
    all.put("TotalCount", found.size());
    all.put("PageNumber", page);
    all.put("PageSize", size);
    return all;
  }

  private boolean fits(Thing thing, ApiCall call, Account account) {
    for (Map.Entry<String, String> filter : filters.entrySet()) {
      String wanted = call.get(filter.getKey());
      String is =
          filter.getValue().equals("Status")
              ? thing.status(account.now())
              : thing.text(filter.getValue());
      boolean wild = wanted.endsWith("*");
      if (!wanted.isEmpty()
          && !(wild
              ? is.startsWith(wanted.substring(0, wanted.length() - 1))
              : is.equals(wanted))) {
        return false;
      }
    }
    return true;
  }
}
