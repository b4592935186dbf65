// Describes a page that the gateway itself answers. Each page is a row of the table in views/view_table.cpp.
#pragma once

#include "gateway/requests/admission.hpp"

#include <boost/asio/awaitable.hpp>

namespace photofinish::gateway {

// A client's request for a page. The client's session owns this object until the page is sent.
struct page_visit {
  client_call& call;
  const client_request& request;
  const routed_request& route;
  caller who;
};

struct shown_page {
  std::string_view content_type;
  std::string text;
  int status = 200;
};

using view_answer = std::variant<shown_page, api_error>;

// Selects the requests for a page that appear in the access log: all requests, or only failed ones. The value `errors`
// is for pages that balancers, scrapers and the live page request very often.
enum class view_log { pages, errors };

struct view {
  endpoint path;  // the endpoint of the page; gateway/api/routes.cpp maps a URL path to it
  callers allowed;
  view_log log;
  boost::asio::awaitable<view_answer> (*show)(const page_visit& visit);
};

}  // namespace photofinish::gateway
