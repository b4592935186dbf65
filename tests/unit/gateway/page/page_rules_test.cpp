// Tests which callers may open the live page, and which of them may see the races of all callers.
#include "gateway/page/page_rules.hpp"

#include "gateway/page/page_document.hpp"

#include <gtest/gtest.h>

#include <string>

namespace photofinish::gateway {
namespace {

const listen_address loopback{"127.0.0.1", 7777}, everywhere{"0.0.0.0", 7777};

client_request asked(std::string_view host, std::vector<proxy::header_field> fields = {}) {
  client_request made;
  made.host = host;
  made.fields = std::move(fields);
  return made;
}

config with_keys() {
  config made;
  made.access.keys = {{"operator", proxy::secret("o"), {}}, {"search", proxy::secret("s"), {}}};
  made.access.keys[0].is_admin = true;
  return made;
}

TEST(PageRules, WithoutAccessKeysItIsForPeopleOnThisMachine) {
  const config open;
  const auto is_served = [&](const client_request& request, const listen_address& at) {
    return serves_page(open, request, at, listener_role::everything);
  };
  EXPECT_TRUE(is_served(asked("localhost:7777"), loopback));
  EXPECT_TRUE(is_served(asked("[::1]:7777"), {"::1", 7777}));
  EXPECT_FALSE(is_served(asked("localhost:7777"), everywhere));
  EXPECT_FALSE(is_served(asked("llm.example.com"), loopback)) << "an allowed host is a proxy's";
  for (const char* mark : {"x-forwarded-for", "forwarded", "via", "x-real-ip", "x-forwarded-host"})
    EXPECT_FALSE(is_served(asked("localhost", {{mark, "10.0.0.1"}}), loopback)) << mark;
}

TEST(PageRules, TheSettingOpensItAndClosesIt) {
  config settings;
  settings.views.page = page_setting::on;
  EXPECT_TRUE(serves_page(settings, asked("llm.example.com"), everywhere, listener_role::api));
  settings.views.page = page_setting::off;
  EXPECT_FALSE(serves_page(settings, asked("localhost"), loopback, listener_role::everything));
  EXPECT_FALSE(serves_page(settings, asked("localhost"), loopback, listener_role::admin));
  EXPECT_EQ(refuse_feed(settings, asked("localhost"), {}, loopback, listener_role::admin)->code, "page_off");
}

TEST(PageRules, WithAccessKeysOneWithAdminSeesIt) {
  const config locked = with_keys();
  const auto refused = [&](const caller& who, listener_role role) {
    const auto error = refuse_feed(locked, asked("llm.example.com"), who, everywhere, role);
    return error ? error->status : 0;
  };
  EXPECT_EQ(refused({&locked.access.keys[0]}, listener_role::api), 0);
  EXPECT_EQ(refused({&locked.access.keys[1]}, listener_role::api), 403);
  EXPECT_EQ(refused({}, listener_role::api), 403);
  EXPECT_EQ(refused({}, listener_role::admin), 0);
}

TEST(PageRules, BrowsersAskForAPageAndProgramsDoNot) {
  EXPECT_TRUE(wants_page(asked("h", {{"accept", "text/html,application/xhtml+xml,*/*;q=0.8"}})));
  EXPECT_FALSE(wants_page(asked("h", {{"accept", "*/*"}})));
  EXPECT_FALSE(wants_page(asked("h")));
}

TEST(PageDocument, IsOneSmallDocumentWhosePolicyAllowsItselfAlone) {
  const page_document& page = live_page();
  EXPECT_LT(page.html.size(), 200'000u);
  EXPECT_NE(page.html.find("var uPlot="), std::string::npos);
  EXPECT_EQ(page.html.find("/*script*/"), std::string::npos);
  EXPECT_EQ(page.policy.find("unsafe"), std::string::npos);
  EXPECT_TRUE(page.policy.starts_with("default-src 'none'; script-src 'sha256-"));
  for (const char* loaded : {"<script src", "rel=\"stylesheet\"", " style=\"", " onclick=", "@import"})
    EXPECT_EQ(page.html.find(loaded), std::string::npos) << loaded;
}

}  // namespace
}  // namespace photofinish::gateway
