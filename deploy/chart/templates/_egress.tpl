{{/* The ports of the addresses in the configuration, each after a space: list SETTING VALUE. */}}
{{- define "photofinish.portsIn" -}}
{{- $setting := index . 0 }}
{{- $value := index . 1 }}
{{- if kindIs "map" $value }}
{{- range $name, $each := $value }}
{{- if not (has $name (list "headers" "labels" "resource" "params")) }}
{{- include "photofinish.portsIn" (list $name $each) }}
{{- end }}
{{- end }}
{{- else if kindIs "slice" $value }}
{{- range $value }}
{{- include "photofinish.portsIn" (list $setting .) }}
{{- end }}
{{- else if kindIs "string" $value }}
{{- if eq $setting "addresses" }}
{{- include "photofinish.portOf" (printf "sentinel://%s" $value) }}
{{- else if has $setting (list "base_url" "endpoint" "jwks_url" "proxy" "url" "webhook") }}
{{- include "photofinish.portOf" $value }}
{{- end }}
{{- end }}
{{- end }}

{{/* The port of one URL. A variable counts as its default. Nothing for a loopback address or a text without a scheme. */}}
{{- define "photofinish.portOf" -}}
{{- $text := regexReplaceAll "\\$\\{[A-Za-z0-9_]+(:-([^}]*))?\\}" . "${2}" }}
{{- $scheme := regexFind "^[a-z]+" $text }}
{{- $usual := dict "http" "80" "https" "443" "redis" "6379" "rediss" "6379" "sentinel" "26379" }}
{{- if and (regexMatch "^[a-z]+://" $text) (hasKey $usual $scheme) }}
{{- $authority := regexReplaceAll "^.*@" (regexFind "//[^/?#]*" $text | trimPrefix "//") "" }}
{{- if not (regexMatch "^(localhost|127\\.[0-9.]+|\\[::1\\])(:[0-9]+)?$" $authority) }}
{{- $port := regexFind ":[0-9]+$" $authority | trimPrefix ":" | default (get $usual $scheme) }}
{{- printf " %s" $port }}
{{- end }}
{{- end }}
{{- end }}

{{/* The ports that pods may reach on all addresses, without those that extraEgress limits to some. */}}
{{- define "photofinish.egressPorts" -}}
{{- $policy := .Values.networkPolicy }}
{{- $ports := list }}
{{- range $policy.egressPorts }}{{ $ports = append $ports (int .) }}{{ end }}
{{- if $policy.deriveEgressPorts }}
{{- $limited := list 53 }}
{{- range $policy.extraEgress }}
{{- range .ports }}
{{- if not (kindIs "string" .port) }}{{ $limited = append $limited (int .port) }}{{ end }}
{{- end }}
{{- end }}
{{- $found := include "photofinish.portsIn" (list "" .Values.config) }}
{{- range .Values.extraEnv }}
{{- if has .name (list "OTEL_EXPORTER_OTLP_ENDPOINT" "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT" "HTTPS_PROXY" "HTTP_PROXY") }}
{{- $found = printf "%s%s" $found (include "photofinish.portOf" (get . "value" | default "" | toString)) }}
{{- end }}
{{- end }}
{{- range splitList " " (trim $found) }}
{{- if and . (not (has (int .) $limited)) }}{{ $ports = append $ports (int .) }}{{ end }}
{{- end }}
{{- end }}
{{- range $ports | uniq }}
- {port: {{ . }}, protocol: TCP}
{{- end }}
{{- end }}
