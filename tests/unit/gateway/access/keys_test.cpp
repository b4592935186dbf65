#include "gateway/access/keys.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

namespace photofinish::gateway {
namespace {

const auto name_of = [](const auto& info) { return info.param.name; };

proxy::provider provider_named(const char* name, const char* api_key = "") {
  proxy::provider provider;
  provider.name = name;
  provider.key.value = proxy::secret(api_key);
  return provider;
}

config three_providers() {
  config configured;
  for (const char* name : {"groq", "cerebras", "local-vllm"})
    configured.providers.emplace(name, provider_named(name));
  return configured;
}

using header_fields = std::vector<proxy::header_field>;

// Returns the keys of a request as one line: "bearer=… access=… groq=…". Returns "401 …" if the request is refused.
std::string describe(const header_fields& fields, const config& configured = three_providers()) {
  const auto read = read_keys(fields, configured);
  if (const refusal* why = std::get_if<refusal>(&read))
    return std::to_string(why->status) + " " + why->message;
  const presented_keys& keys = std::get<presented_keys>(read);
  std::string out;
  if (keys.bearer) out += " bearer=" + keys.bearer->reveal();
  if (keys.access_key) out += " access=" + keys.access_key->reveal();
  for (const auto& [name, key] : keys.by_provider) out += " " + name + "=" + key.reveal();
  return out.empty() ? out : out.substr(1);
}

struct bearer_case {
  std::string name;
  std::string authorization;
  std::string expected;
};
void PrintTo(const bearer_case& one, std::ostream* out) { *out << one.name; }

class Authorization : public testing::TestWithParam<bearer_case> {};

TEST_P(Authorization, IsAPlainTokenOrAKeyring) {
  const header_fields fields{{"Authorization", GetParam().authorization}};
  EXPECT_EQ(describe(fields), GetParam().expected);
}

INSTANTIATE_TEST_SUITE_P(
    Plain, Authorization,
    testing::Values(bearer_case{"token", "Bearer sk-abc", "bearer=sk-abc"},
                    bearer_case{"scheme_in_small_letters", "bearer sk-abc", "bearer=sk-abc"},
                    bearer_case{"several_spaces", "Bearer   sk-abc", "bearer=sk-abc"},
                    bearer_case{"jwt", "Bearer eyJhbGciOi.eyJzdWIi.c2ln-_",
                                "bearer=eyJhbGciOi.eyJzdWIi.c2ln-_"},
                    bearer_case{"base64_one_pad", "Bearer abcdefg=", "bearer=abcdefg="},
                    bearer_case{"base64_two_pads", "Bearer abcd==", "bearer=abcd=="},
                    bearer_case{"base64_capitals", "Bearer QUJD+/x==", "bearer=QUJD+/x=="},
                    bearer_case{"equals_behind_capitals", "Bearer Abc=def", "bearer=Abc=def"},
                    bearer_case{"equals_behind_underscore", "Bearer a_b=def", "bearer=a_b=def"},
                    bearer_case{"equals_first", "Bearer =abc", "bearer==abc"},
                    bearer_case{"one_of_two_parts_is_no_entry", "Bearer a=b,c", "bearer=a=b,c"},
                    bearer_case{"too_long_for_a_name", "Bearer " + std::string(65, 'a') + "=x",
                                "bearer=" + std::string(65, 'a') + "=x"},
                    bearer_case{"no_token", "Bearer", ""}, bearer_case{"other_scheme", "Basic Z3JvcT14", ""},
                    bearer_case{"no_scheme", "sk-abc", ""}, bearer_case{"empty", "", ""}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Keyring, Authorization,
    testing::Values(bearer_case{"one", "Bearer groq=gsk_1", "groq=gsk_1"},
                    bearer_case{"two", "Bearer groq=gsk_1,cerebras=csk-2", "cerebras=csk-2 groq=gsk_1"},
                    bearer_case{"spaces", "Bearer groq = gsk_1 , cerebras= csk-2",
                                "cerebras=csk-2 groq=gsk_1"},
                    bearer_case{"comma_at_the_end", "Bearer groq=gsk_1,", "groq=gsk_1"},
                    bearer_case{"own", "Bearer photofinish=pf,groq=gsk_1", "access=pf groq=gsk_1"},
                    bearer_case{"first_equals_splits", "Bearer groq=a=b==", "groq=a=b=="},
                    bearer_case{"hyphen_in_name", "Bearer local-vllm=x", "local-vllm=x"},
                    bearer_case{"name_in_capitals", "Bearer GROQ=gsk_1", "groq=gsk_1"},
                    bearer_case{"same_twice", "Bearer groq=a,groq=a", "groq=a"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Refused, Authorization,
    testing::Values(bearer_case{"unknown_name", "Bearer gorq=secret-1",
                                "401 a key is given for `gorq`, which is not a provider of this gateway"},
                    bearer_case{"unknown_among_known", "Bearer groq=a,gorq=secret-1",
                                "401 a key is given for `gorq`, which is not a provider of this gateway"},
                    bearer_case{"impossible_name_among_known", "Bearer groq=a,sk_LIVE/1=secret",
                                "401 a key is given for a name that is not a valid provider name"},
                    bearer_case{"empty_value", "Bearer groq=", "401 the key for `groq` is empty"},
                    bearer_case{"empty_value_among_others",
                                "Bearer groq=a,cerebras=", "401 the key for `cerebras` is empty"},
                    bearer_case{"padding_for_a_value", "Bearer groq==", "401 the key for `groq` is empty"},
                    bearer_case{"entry_without_equals", "Bearer groq=a,secret-1",
                                "401 entry 2 of the bearer token does not have the form `provider=KEY`"},
                    bearer_case{"two_keys_for_one", "Bearer groq=a,groq=b",
                                "401 the request has two different keys for `groq`: send only one"}),
    name_of);

TEST(ReadKeys, TakesKeysFromHeadersOfAnyCase) {
  EXPECT_EQ(describe({{"X-Provider-Key-Groq", "gsk_1"},
                      {"x-provider-key-local-vllm", "v"},
                      {"X-Photofinish-Key", "pf"}}),
            "access=pf groq=gsk_1 local-vllm=v");
}

TEST(ReadKeys, TakesHeadersAndKeyringTogether) {
  EXPECT_EQ(describe({{"authorization", "Bearer groq=a"}, {"x-provider-key-cerebras", "b"}}),
            "cerebras=b groq=a");
  EXPECT_EQ(describe({{"authorization", "Bearer sk-1"}, {"x-provider-key-cerebras", "b"}}),
            "bearer=sk-1 cerebras=b");
  EXPECT_EQ(describe({{"authorization", "Bearer groq=a"}, {"x-provider-key-groq", "a"}}), "groq=a");
}

TEST(ReadKeys, RefusesKeysThatContradictEachOther) {
  EXPECT_EQ(describe({{"authorization", "Bearer groq=a"}, {"x-provider-key-groq", "b"}}),
            "401 the request has two different keys for `groq`: send only one");
  EXPECT_EQ(describe({{"authorization", "Bearer a"}, {"authorization", "Bearer b"}}),
            "401 the request has two different keys for `Authorization`: send only one");
  EXPECT_EQ(describe({{"x-photofinish-key", "a"}, {"x-photofinish-key", "b"}}),
            "401 the request has two different keys for `photofinish`: send only one");
}

TEST(ReadKeys, RefusesHeadersThatCannotBeMeant) {
  EXPECT_EQ(describe({{"x-provider-key-gorq", "s"}}),
            "401 a key is given for `gorq`, which is not a provider of this gateway");
  EXPECT_EQ(describe({{"x-provider-key-groq", ""}}), "401 the key for `groq` is empty");
  EXPECT_EQ(describe({{"x-provider-key-", "s"}}),
            "401 a key is given for a name that is not a valid provider name");
  EXPECT_EQ(describe({{"x-photofinish-key", ""}}), "401 the key for `photofinish` is empty");
  EXPECT_EQ(describe({{"x-provider-key-photofinish", "s"}}),
            "401 send this gateway's own key in x-photofinish-key");
}

TEST(ReadKeys, IgnoresOtherHeaders) {
  EXPECT_EQ(describe({{"x-key", "a"}, {"proxy-authorization", "Bearer b"}, {"cookie", "groq=c"}}), "");
}

TEST(ReadKeys, TakesXApiKeyWhereNoOtherHeaderHoldsAKey) {
  EXPECT_EQ(describe({{"x-api-key", "a"}}), "bearer=a");
  EXPECT_EQ(describe({{"x-api-key", "a"}, {"authorization", "Bearer b"}}), "bearer=b");
  EXPECT_EQ(describe({{"x-api-key", "a"}, {"x-photofinish-key", "b"}}), describe({{"x-photofinish-key", "b"}}));
}

std::string describe(const chosen_key& chosen) {
  switch (chosen.source) {
    case key_source::own: return "own " + chosen.key.reveal();
    case key_source::configured: return "configured " + chosen.key.reveal();
    case key_source::not_needed: return "not_needed" + chosen.key.reveal();
    case key_source::none: return "none" + chosen.key.reveal();
  }
  return "?";
}

const std::vector<target_name> groq_alone{{"groq", "a"}, {"groq", "b"}};
const std::vector<target_name> groq_and_cerebras{{"groq", "a"}, {"cerebras", "a"}};

presented_keys with_bearer(const char* token) {
  presented_keys keys;
  keys.bearer = proxy::secret(token);
  return keys;
}

presented_keys with_key(const char* provider, const char* key) {
  presented_keys keys;
  keys.by_provider.emplace(provider, proxy::secret(key));
  return keys;
}

TEST(KeyFor, PrefersTheCallersOwn) {
  const auto groq = provider_named("groq", "house");
  EXPECT_EQ(describe(key_for(groq, with_key("groq", "mine"), {}, groq_alone)), "own mine");
  EXPECT_EQ(describe(key_for(groq, {}, {}, groq_alone)), "configured house");
  EXPECT_EQ(describe(key_for(provider_named("groq"), {}, {}, groq_alone)), "none");
}

TEST(KeyFor, KeepsACallerWithOwnKeysToThoseAlone) {
  const auto groq = provider_named("groq", "house");
  EXPECT_EQ(describe(key_for(groq, with_key("cerebras", "mine"), {}, groq_and_cerebras)), "none");
}

TEST(KeyFor, MixesKeysOnlyWhereTheOperatorShares) {
  config sharing;
  sharing.access.share_keys = true;
  const auto groq = provider_named("groq", "house");
  EXPECT_EQ(describe(key_for(groq, with_key("cerebras", "mine"), sharing, groq_and_cerebras)),
            "configured house");
  EXPECT_EQ(describe(key_for(groq, with_key("groq", "mine"), sharing, groq_and_cerebras)), "own mine");
}

TEST(KeyFor, DoesNotTakeAnAccessKeyForAKeyOfOnesOwn) {
  presented_keys keys;
  keys.access_key = proxy::secret("pf");
  EXPECT_EQ(describe(key_for(provider_named("groq", "house"), keys, {}, groq_alone)), "configured house");
}

TEST(KeyFor, SendsNoKeyWhereNoneIsNeeded) {
  auto engine = provider_named("local-vllm");
  engine.key.is_optional = true;
  EXPECT_EQ(describe(key_for(engine, {}, {}, groq_alone)), "not_needed");
  EXPECT_EQ(describe(key_for(engine, with_key("groq", "mine"), {}, groq_alone)), "not_needed");
  engine.key.value = proxy::secret("house");
  EXPECT_EQ(describe(key_for(engine, {}, {}, groq_alone)), "configured house");
  EXPECT_EQ(describe(key_for(engine, with_key("groq", "mine"), {}, groq_alone)), "not_needed");
  engine.key.auth = proxy::auth_style::none;
  EXPECT_EQ(describe(key_for(engine, with_key("local-vllm", "mine"), {}, groq_alone)), "not_needed");
}

TEST(KeyFor, NeverSendsAPlainBearerUnasked) {
  EXPECT_EQ(describe(key_for(provider_named("groq", "house"), with_bearer("sk-1"), {}, groq_alone)),
            "configured house");
  EXPECT_EQ(describe(key_for(provider_named("groq"), with_bearer("sk-1"), {}, groq_alone)), "none");
}

TEST(KeyFor, SendsAPlainBearerToTheOneProviderThatAcceptsIt) {
  auto groq = provider_named("groq", "house");
  groq.forwarding.accept_bearer = true;
  EXPECT_EQ(describe(key_for(groq, with_bearer("sk-1"), {}, groq_alone)), "own sk-1");
  EXPECT_EQ(describe(key_for(groq, with_bearer("sk-1"), {}, groq_and_cerebras)), "configured house");
  EXPECT_EQ(describe(key_for(groq, with_bearer("sk-1"), {}, {})), "configured house");
}

TEST(KeyFor, NeverSendsAnAccessKeyUpstream) {
  auto groq = provider_named("groq");
  groq.forwarding.accept_bearer = true;
  config configured;
  configured.access.keys = {{"team", proxy::secret("pf-key-1"), {}}};
  EXPECT_EQ(describe(key_for(groq, with_bearer("pf-key-1"), configured, groq_alone)), "none");
  EXPECT_EQ(describe(key_for(groq, with_bearer("sk-1"), configured, groq_alone)), "own sk-1");
}

TEST(NoKeyFor, SaysHowToBringOne) {
  config configured = three_providers();
  configured.providers["groq"].key.variable = "GROQ_API_KEY";
  const refusal why = no_key_for(groq_and_cerebras, configured);
  EXPECT_EQ(why.status, 401);
  EXPECT_EQ(why.message,
            "no key for any target of this request (cerebras, groq): send `Authorization: Bearer "
            "cerebras=KEY,groq=KEY` "
            "or the header `x-provider-key-cerebras: KEY`, or ask the operator to set GROQ_API_KEY");
}

}  // namespace
}  // namespace photofinish::gateway
