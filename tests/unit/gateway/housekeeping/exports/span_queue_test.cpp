// Tests the queue of traces that wait for a collector. The queue is bounded, and keeps traces in the order of their arrival.
#include "gateway/housekeeping/exports/span_queue.hpp"

#include "gateway/traces/gzip.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <string>

namespace photofinish::gateway {
namespace {

TEST(SpanQueue, ABatchIsTheOldestUpToABound) {
  span_queue queue;
  for (int count = 0; count < 300; ++count) EXPECT_TRUE(queue.put(std::to_string(count), 2));
  const span_batch first = queue.take();
  EXPECT_EQ(first.spans, span_queue::most_batch_spans);
  EXPECT_EQ(first.traces.front(), "0");
  EXPECT_EQ(first.traces.size(), 256u);
  EXPECT_EQ(queue.take().traces.front(), "256");
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.bytes(), 0u);
  EXPECT_EQ(queue.spans(), 0u);
}

TEST(SpanQueue, ALongTraceGoesAlone) {
  span_queue queue;
  ASSERT_TRUE(queue.put(std::string(span_queue::most_batch_bytes + 1, 'x'), 1));
  ASSERT_TRUE(queue.put("y", 1'000));
  ASSERT_TRUE(queue.put("z", 1));
  EXPECT_EQ(queue.take().traces.size(), 1u);
  EXPECT_EQ(queue.take().spans, 1'000u);
  EXPECT_EQ(queue.take().traces.front(), "z");
}

TEST(SpanQueue, WhatFindsNoRoomIsRefusedAndTheOldestStay) {
  span_queue queue;
  int taken = 0;
  while (queue.put(std::string(1u << 20, 'x'), 3)) ++taken;
  EXPECT_EQ(taken, 8);
  EXPECT_EQ(queue.spans(), 24u);
  EXPECT_TRUE(queue.put("", 1));
  EXPECT_LE(queue.bytes(), span_queue::most_bytes);
}

TEST(Gzip, OthersReadWhatItWrites) {
  std::string text;
  for (int count = 0; count < 10'000; ++count) text += std::to_string(count);
  const std::string packed = gzipped(text);
  EXPECT_LT(packed.size(), text.size() / 2);
  std::string plain(text.size(), '\0');
  z_stream stream{};
  ASSERT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(plain.data());
  stream.avail_out = static_cast<uInt>(plain.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  inflateEnd(&stream);
  EXPECT_EQ(plain, text);
}

}  // namespace
}  // namespace photofinish::gateway
