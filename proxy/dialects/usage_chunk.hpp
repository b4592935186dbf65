// States whether the client wants the token usage in its stream (stream_options). [pure]
#pragma once

namespace photofinish::proxy {

enum class usage_chunk {
  unwanted,
  wanted,         // the client set `include_usage` and gets the usage once, at the end of the stream
  // The client set `continuous_usage_stats` and also gets the usage in each chunk for which the provider reports it.
  wanted_always,
};

}  // namespace photofinish::proxy
