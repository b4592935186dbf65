// Tests the files that may replace a catalogue: their signatures, and the limits on price changes.
#include "proxy/providers/catalogue_update.hpp"

#include "proxy/json/base64.hpp"
#include "proxy/providers/catalogue_proof.hpp"
#include "tests/support/signed_catalogue.hpp"

#include <gtest/gtest.h>

#include <string>

namespace photofinish::proxy {
namespace {

using tests::list_private_key;
using tests::list_signature;
const std::string& der_key = tests::list_public_key;
const std::string pem_key = "-----BEGIN PUBLIC KEY-----\n" + der_key + "\n-----END PUBLIC KEY-----\n";

std::string text_of(const std::string& providers) {
  return R"({"schema": 1, "as_of": "2026-11-28", "sources": [{"name": "a-list", "date": "2026-11-27"}],
             "holidays": {}, "betas": {}, "providers": )" + providers + "}";
}

std::string row(const std::string& names, const std::string& prices) {
  return R"({"names": [)" + names + R"(], "sources": [0])" + (prices.empty() ? "" : R"(, "prices": )" + prices) + "}";
}

std::shared_ptr<const catalogue> list_of(const std::string& rows) {
  catalogue_result read = parse_catalogue(text_of(R"({"lab": [)" + rows + "]}"));
  EXPECT_EQ(read.error, "");
  return read.value;
}

std::string jump(const std::string& before, const std::string& next) {
  return jump_problem(*list_of(before), *list_of(next));
}

std::string jump_of_prices(const std::string& before, const std::string& next) {
  return jump(row(R"("m")", before), row(R"("m")", next));
}

const std::string good = text_of(R"({"lab": [{"names": ["m"], "sources": [0]}]})");

TEST(CatalogueProof, HashesAsSha256sumDoes) {
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(CatalogueProof, ReadsAllFormsOfAPublicKeyAndOfASignature) {
  const std::string signature = list_signature(good);
  ASSERT_EQ(signature.size(), 64u);
  const std::string raw = base64_decoded(der_key).substr(12);
  for (const std::string& key : {pem_key, der_key, base64_encoded(raw, base64_padding::wanted), der_key + "\n"}) {
    EXPECT_TRUE(is_ed25519_public_key(key)) << key;
    EXPECT_TRUE(is_signed_by(key, good, signature)) << key;
    EXPECT_TRUE(is_signed_by(key, good, base64_encoded(signature, base64_padding::wanted) + "\n")) << key;
    EXPECT_FALSE(is_signed_by(key, good + " ", signature)) << key;
  }
  EXPECT_FALSE(is_signed_by(tests::other_public_key, good, signature));
}

TEST(CatalogueProof, RefusesOtherKeysAndSignatures) {
  for (const std::string& key : {std::string(), std::string("abc"), std::string(40, 'A'), list_private_key,
                                 std::string("-----BEGIN PUBLIC KEY-----\n"), std::string(5000, 'A')})
    EXPECT_FALSE(is_ed25519_public_key(key)) << key;
  for (const std::string& signature : {std::string(), std::string(64, 'a'), std::string(63, 'a'), std::string(9999, 'a')})
    EXPECT_FALSE(is_signed_by(pem_key, good, signature));
  EXPECT_FALSE(ed25519_signature(pem_key, good));
  EXPECT_FALSE(ed25519_signature("", good));
}

TEST(CatalogueUpdate, ReadsAFileWithItsHashOrItsSignature) {
  EXPECT_TRUE(read_proven_catalogue({.text = good, .signature = {}, .sha256 = sha256_hex(good), .public_key = {}}).value);
  const std::string signature = list_signature(good);
  const catalogue_result read =
      read_proven_catalogue({.text = good, .signature = signature, .sha256 = {}, .public_key = pem_key});
  ASSERT_TRUE(read.value) << read.error;
  EXPECT_EQ(read.value->id(), sha256_hex(good));
}

TEST(CatalogueUpdate, RefusesAWrongHash) {
  const std::string wrong(64, '0');
  EXPECT_EQ(read_proven_catalogue({.text = good, .signature = {}, .sha256 = wrong, .public_key = {}}).error,
            "has the SHA-256 " + sha256_hex(good) + ", not " + wrong);
}

TEST(CatalogueUpdate, RefusesAMissingOrWrongSignature) {
  EXPECT_EQ(read_proven_catalogue({.text = good, .signature = {}, .sha256 = {}, .public_key = pem_key}).error,
            "has no signature");
  const std::string of_another = list_signature(good + " ");
  EXPECT_EQ(read_proven_catalogue({.text = good, .signature = of_another, .sha256 = {}, .public_key = pem_key}).error,
            "has a signature that does not match the file and the public key");
}

TEST(CatalogueUpdate, RefusesACutFileAndOneThatIsTooLarge) {
  const std::string cut = good.substr(0, good.size() - 1);
  const catalogue_result read =
      read_proven_catalogue({.text = cut, .signature = {}, .sha256 = sha256_hex(cut), .public_key = {}});
  EXPECT_FALSE(read.value);
  EXPECT_EQ(read.error.find("cannot be used: the catalogue is not valid JSON"), 0u) << read.error;
  const std::string large = good + std::string(largest_catalogue_bytes, ' ');
  EXPECT_EQ(read_proven_catalogue({.text = large, .signature = {}, .sha256 = sha256_hex(large), .public_key = {}}).error,
            "is longer than 8 MiB");
}

TEST(CatalogueUpdate, MoreNamesAndModeratePricesMayCome) {
  const std::string before = row(R"("m")", R"({"standard": {"input": 2, "output": 10}, "flex": 0.5})");
  EXPECT_EQ(jump(before, before), "");
  EXPECT_EQ(jump(before, row(R"("m", "m-2")", R"({"standard": {"input": 20, "output": 1}, "flex": 0.5})")), "");
  EXPECT_EQ(jump_of_prices(R"({"standard": {"input": 0, "output": 0}})", R"({"standard": {"input": 5, "output": 5}})"),
            "");
}

TEST(CatalogueUpdate, APriceMustNotFallToZeroOrVanish) {
  const std::string before = R"({"standard": {"input": 2, "output": 10}})";
  EXPECT_EQ(jump_of_prices(before, R"({"standard": {"input": 2, "output": 0}})"),
            "the standard price of lab/m for output falls from 10 to 0");
  EXPECT_EQ(jump_of_prices(before, R"({"standard": {"input": 2, "output": 10, "cached_input": 0}})"),
            "the standard price of lab/m for cached_input falls from 2 to 0 (the previous list has no cached_input, so "
            "the price of input applies)");
  EXPECT_EQ(jump(row(R"("m")", before) + "," + row(R"("n")", ""), row(R"("m")", "") + "," + row(R"("n")", before)),
            "the standard price of lab/m vanishes");
  EXPECT_EQ(jump_of_prices(R"({"standard": {"input": 2, "output": 10}, "flex": 0.5})", before),
            "the flex price of lab/m vanishes");
}

TEST(CatalogueUpdate, APriceMustNotMoveMoreThanTenfold) {
  const std::string before = R"({"standard": {"input": 2, "output": 10}, "priority": 2})";
  EXPECT_EQ(jump_of_prices(before, R"({"standard": {"input": 20.1, "output": 10}, "priority": 2})"),
            "the standard price of lab/m for input changes from 2 to 20.1, by more than a factor of ten");
  EXPECT_EQ(jump_of_prices(before, R"({"standard": {"input": 2, "output": 0.9}, "priority": 2})"),
            "the standard price of lab/m for output changes from 10 to 0.9, by more than a factor of ten");
  EXPECT_EQ(jump_of_prices(before, R"({"standard": {"input": 2, "output": 10}, "priority": 21})"),
            "the priority price of lab/m for input changes from 4 to 42, by more than a factor of ten");
  EXPECT_EQ(jump_of_prices(before, R"({"standard": {"input": [2, [1000, 30]], "output": 10}, "priority": 2})"),
            "the standard price of lab/m for input changes from 2 to 30, by more than a factor of ten");
  EXPECT_EQ(jump_of_prices(before, R"({"standard": [{"input": 2, "output": 10},
                                                    {"input": 2, "output": 200, "from": "2027-01-01"}], "priority": 2})"),
            "the standard price of lab/m for output changes from 10 to 200, by more than a factor of ten");
}

TEST(CatalogueUpdate, AClassWithoutAPriceCountsWithItsDefault) {
  const std::string plain = R"({"standard": {"input": 2, "output": 10}})";
  const std::string cached = R"({"standard": {"input": 2, "cached_input": 0.1, "output": 10}})";
  EXPECT_EQ(jump_of_prices(plain, cached),
            "the standard price of lab/m for cached_input changes from 2 to 0.1, by more than a factor of ten (the previous list has "
            "no cached_input, so the price of input applies)");
  EXPECT_EQ(jump_of_prices(cached, plain),
            "the standard price of lab/m for cached_input changes from 0.1 to 2, by more than a factor of ten (the new list has no "
            "cached_input, so the price of input applies)");
  EXPECT_EQ(jump_of_prices(plain, R"({"standard": {"input": 2, "cached_input": 0.2, "output": 10}})"), "");
}

// A price may depend on the prompt's size. The limit on price changes then applies to both the smallest and the largest price.
TEST(CatalogueUpdate, NeitherTheLeastNorTheLargestFigureMovesTooFar) {
  const auto input = [](const std::string& figures) { return R"({"standard": {"input": )" + figures + R"(, "output": 10}})"; };
  EXPECT_EQ(jump_of_prices(input("[0.2, [1000, 6]]"), input("0.2")),
            "the standard price of lab/m for input changes from 6 to 0.2, by more than a factor of ten");
  EXPECT_EQ(jump_of_prices(input("[0.2, [1000, 6]]"), input("6")),
            "the standard price of lab/m for input changes from 0.2 to 6, by more than a factor of ten");
  EXPECT_EQ(jump_of_prices(input("[0, [1000, 6]]"), input("0")), "the standard price of lab/m for input falls from 6 to 0");
  EXPECT_EQ(jump_of_prices(input("[0, [1000, 6]]"), input("5")), "");
}

TEST(CatalogueUpdate, PricesOfPrefixesAndOfDatedNamesAreCompared) {
  const std::string price = R"({"standard": {"input": 2, "output": 10}})", zero = R"({"standard": {"input": 0, "output": 0}})";
  const auto prefix = [](const std::string& prices) { return R"({"prefixes": ["ft:m"], "sources": [0], "prices": )" + prices + "}"; };
  const std::string named = row(R"("m")", price);
  EXPECT_EQ(jump(named + "," + prefix(price), named + "," + prefix(zero)), "the standard price of lab/ft:m for input falls from 2 to 0");
  EXPECT_EQ(jump(named + "," + prefix(price), named), "provider 'lab' has 1 model names, but the previous list has 2");
  EXPECT_EQ(jump(named, named + "," + row(R"("m-20260811")", zero)),
            "the standard price of lab/m-20260811 for input falls from 2 to 0");
  EXPECT_EQ(jump(named, named + "," + row(R"("n")", zero)), "");
}

TEST(CatalogueUpdate, ATierThatWasUnknownIsComparedWithTheStandardPrice) {
  const std::string before = R"({"standard": {"input": 2, "output": 10}})";
  EXPECT_EQ(jump_of_prices(before, R"({"standard": {"input": 2, "output": 10}, "flex": 0.5, "ultrafast": 6})"), "");
  EXPECT_EQ(jump_of_prices(before, R"({"standard": {"input": 2, "output": 10}, "flex": 0})"),
            "the flex price of lab/m for input falls from 2 to 0");
  EXPECT_EQ(jump_of_prices(before, R"({"standard": {"input": 2, "output": 10}, "ultrafast": 11})"),
            "the ultrafast price of lab/m for input changes from 2 to 22, by more than a factor of ten");
  EXPECT_EQ(jump_of_prices(R"({"batch": {"input": 2, "output": 10}})",
                           R"({"batch": {"input": 2, "output": 10}, "standard": {"input": 0, "output": 0}})"), "");
}

TEST(CatalogueUpdate, AClassThatWasFreeMustNotGetAPriceAlone) {
  const std::string before = R"({"standard": {"input": 2, "output": 10, "cached_input": 0}})";
  EXPECT_EQ(jump_of_prices(before, R"({"standard": {"input": 2, "output": 10, "cached_input": 0.1}})"),
            "the standard price of lab/m for cached_input rises from 0 to 0.1");
  EXPECT_EQ(jump_of_prices(before, R"({"standard": {"input": 2, "output": 10, "cached_input": 0, "request": 1}})"),
            "the standard price of lab/m for request rises from 0 to 1");
}

TEST(CatalogueUpdate, NamesMustNotBecomeFewer) {
  const std::string price = R"({"standard": {"input": 2, "output": 10}})";
  EXPECT_EQ(jump(row(R"("m", "n")", price), row(R"("m")", price)),
            "provider 'lab' has 1 model names, but the previous list has 2");
  EXPECT_EQ(jump(row(R"("m", "n")", price), row(R"("m")", price) + "," + row(R"("o")", "")),
            "provider 'lab' has 1 model names with a price, but the previous list has 2");
  const auto two = parse_catalogue(text_of(R"({"lab": [)" + row(R"("m")", price) + R"(], "cloud": []})")).value;
  ASSERT_TRUE(two);
  EXPECT_EQ(jump_problem(*two, *list_of(row(R"("m")", price))), "provider 'cloud' was removed");
  const auto moved = parse_catalogue(text_of(R"({"lab": [], "cloud": [)" + row(R"("m", "n")", price) + "]}")).value;
  EXPECT_EQ(jump_problem(*two, *moved), "provider 'lab' has 0 model names, but the previous list has 1");
}

TEST(CatalogueUpdate, TheBuiltInListIsKnownWithoutReadingIt) {
  EXPECT_EQ(built_in_catalogue_id(), built_in_catalogue()->id());
  EXPECT_EQ(built_in_catalogue_date(), built_in_catalogue()->as_of());
}

}  // namespace
}  // namespace photofinish::proxy
