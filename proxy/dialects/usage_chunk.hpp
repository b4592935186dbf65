// The client's choice about token usage in its stream (stream_options). [pure]
#pragma once

namespace photofinish::proxy {

enum class usage_chunk {
  unwanted,
  wanted,         // include_usage: once, at the end
  wanted_always,  // continuous_usage_stats: also in other chunks, if the provider reports it there
};

}  // namespace photofinish::proxy
