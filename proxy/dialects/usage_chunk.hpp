// States whether the client wants the token usage in its stream (stream_options). [pure]
#pragma once

namespace photofinish::proxy {

enum class usage_chunk {
  unwanted,
  wanted,         // `include_usage` is set: the client gets the usage once, at the end
  // `continuous_usage_stats` is set: the client also gets the usage in each chunk for which the provider reports it.
  wanted_always,
};

}  // namespace photofinish::proxy
