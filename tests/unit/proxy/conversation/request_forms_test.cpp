#include "proxy/conversation/writers/request_forms.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace photofinish::proxy {
namespace {

int times_read = 0;

read_conversation read_and_count(const client_body& body) {
  ++times_read;
  return read_messages(body);
}

std::shared_ptr<const client_body> body_of(const std::string& text) { return std::make_shared<const client_body>(text); }

const std::string request = R"({"model":"m","max_tokens":5,"messages":[{"role":"user","content":"hi"}]})";

TEST(RequestForms, ARequestIsReadAndWrittenWhenAFormIsFirstAskedFor) {
  times_read = 0;
  request_forms forms(body_of(request), &read_and_count);
  EXPECT_EQ(forms.said(), nullptr);
  EXPECT_EQ(forms.held_bytes(), 0u);
  EXPECT_EQ(times_read, 0);
  const translated_request* const first = forms.in(wire_format::openai_chat);
  ASSERT_NE(first, nullptr);
  ASSERT_NE(first->body, nullptr);
  EXPECT_EQ(first->body->value_of("max_tokens"), "5");
  EXPECT_EQ(forms.in(wire_format::openai_chat), first);
  EXPECT_EQ(times_read, 1);
  EXPECT_GE(forms.held_bytes(), first->body->json().size());
  EXPECT_NE(forms.said(), nullptr);
}

TEST(RequestForms, AFormatThatNothingWritesIsNone) {
  request_forms forms(body_of(request), &read_and_count);
  EXPECT_EQ(forms.in(wire_format::openai_embeddings), nullptr);
  EXPECT_EQ(forms.said(), nullptr);
}

TEST(RequestForms, WhatIsWrongWithARequestThatIsReadLateIsUnsupported) {
  request_forms forms(body_of(R"({"max_tokens":5,"messages":[{"role":"user","content":7}]})"), &read_and_count);
  for (int again = 0; again < 2; ++again) {
    const translated_request* const made = forms.in(wire_format::openai_chat);
    ASSERT_NE(made, nullptr);
    EXPECT_EQ(made->body, nullptr);
    EXPECT_EQ(made->unsupported, "messages[0].content");
  }
}

}  // namespace
}  // namespace photofinish::proxy
