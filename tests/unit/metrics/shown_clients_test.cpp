// Tests which series about client requests appear on the metrics page.
#include "metrics/exposition.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <string_view>

namespace photofinish::metrics {
namespace {

struct ShownClients : testing::Test {
  series_budget budget;
  shard first{budget};
  shard second{budget};
  exposition page{{"1.2.3", "abc123", "GCC 12.2"}, {&first, &second}};

  // Returns all lines of the metrics page that begin with this text.
  std::string lines(std::string_view beginning) const {
    std::istringstream text(page.text());
    std::string found;
    for (std::string line; std::getline(text, line);)
      if (line.starts_with(beginning)) found.append(line).append("\n");
    return found;
  }
};

TEST_F(ShownClients, AClientsOutcomesAppearWhenTheyOccur) {
  for (int each = 0; each < 50; ++each) {
    client_series& client = first.declare_client("key-" + std::to_string(each));
    first.observe({.route = first.declare_route("fast"), .client = client});
  }
  second.observe({.route = second.declare_route("fast"), .client = second.declare_client("key-0")});
  const std::string shown = lines("photofinish_requests_total");
  EXPECT_EQ(std::count(shown.begin(), shown.end(), '\n'), 50 + 7) << "one each, and all outcomes once";
  const std::string labels = "photofinish_requests_total{route=\"fast\",endpoint=\"chat_completions\",client=";
  EXPECT_NE(shown.find(labels + "\"_none\",outcome=\"ok\"} 0\n"), std::string::npos);
  EXPECT_NE(shown.find(labels + "\"key-0\",outcome=\"ok\"} 2\n"), std::string::npos);
}

TEST_F(ShownClients, WithoutTheClientLabelAllClientsAreOne) {
  page.client_label(label_use::dropped);
  for (const char* key : {"alice", "bob"}) {
    first.observe({.route = first.declare_route("fast"), .client = first.declare_client(key)});
    first.declare_usage(key, "web").cell<names::limit_rejections_total>(rejection::rpm).add(1);
  }
  const std::string ok =
      "photofinish_requests_total{route=\"fast\",endpoint=\"chat_completions\",client=\"\",outcome=\"ok\"}";
  EXPECT_EQ(lines(ok), ok + " 2\n");
  EXPECT_EQ(lines("photofinish_limit_rejections_total"),
            "photofinish_limit_rejections_total{client=\"\",team=\"web\",kind=\"rpm\"} 2\n");
  EXPECT_EQ(page.text().find("alice"), std::string::npos);
}

}  // namespace
}  // namespace photofinish::metrics
