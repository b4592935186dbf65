{{- define "photofinish.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "photofinish.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 57 | trimSuffix "-" }}
{{- else if contains (include "photofinish.name" .) .Release.Name }}
{{- .Release.Name | trunc 57 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name (include "photofinish.name" .) | trunc 57 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "photofinish.selector" -}}
app.kubernetes.io/name: {{ include "photofinish.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "photofinish.labels" -}}
{{ include "photofinish.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "photofinish.image" -}}
{{- if .Values.image.digest }}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest }}
{{- else }}
{{- printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) }}
{{- end }}
{{- end }}

{{- define "photofinish.serviceAccount" -}}
{{- if .Values.serviceAccount.create }}
{{- default (include "photofinish.fullname" .) .Values.serviceAccount.name }}
{{- else }}
{{- default "default" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{- define "photofinish.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "photofinish.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}

{{/* The file photofinish.yaml: the settings of the chart, and the value `config`. */}}
{{- define "photofinish.config" -}}
{{- range $name := list "listen" "admin" "state_dir" }}
{{- if hasKey $.Values.config $name }}
{{- fail (printf "config.%s: the chart writes it; see ports, bindAddress and stateSizeLimit" $name) }}
{{- end }}
{{- end }}
{{- $own := dict
      "listen" (printf "%s:%d" .Values.bindAddress (int .Values.ports.http))
      "admin" (printf "%s:%d" .Values.bindAddress (int .Values.ports.admin))
      "state_dir" "/var/lib/photofinish" }}
{{- merge $own .Values.config | toYaml }}
{{- end }}

{{/* A duration of photofinish in whole seconds, rounded up: list NAME TEXT. */}}
{{- define "photofinish.seconds" -}}
{{- $name := index . 0 }}
{{- $text := toString (index . 1) }}
{{- if eq $text "0" }}0
{{- else if not (regexMatch "^[0-9]+(us|ms|s|m|h)$" $text) }}
{{- fail (printf "config.%s: '%s' must be written out as a duration, as 10m: the grace period follows from it" $name $text) }}
{{- else }}
{{- $number := regexFind "^[0-9]+" $text | int64 }}
{{- $unit := regexFind "[a-z]+$" $text }}
{{- if eq $unit "us" }}{{ div (add $number 999999) 1000000 }}
{{- else if eq $unit "ms" }}{{ div (add $number 999) 1000 }}
{{- else }}{{ mul $number (get (dict "s" 1 "m" 60 "h" 3600) $unit) }}
{{- end }}
{{- end }}
{{- end }}

{{/* After SIGTERM answers continue for drain_delay and drain_timeout; the rest is for the end of the process. */}}
{{- define "photofinish.grace" -}}
{{- $delay := include "photofinish.seconds" (list "drain_delay" (default "5s" (get .Values.config "drain_delay" | toString))) }}
{{- $timeout := include "photofinish.seconds" (list "drain_timeout" (default "10m" (get .Values.config "drain_timeout" | toString))) }}
{{- add (int64 $delay) (int64 $timeout) 10 }}
{{- end }}

{{- define "photofinish.mostReplicas" -}}
{{- ternary .Values.autoscaling.maxReplicas .Values.replicas .Values.autoscaling.enabled | int }}
{{- end }}

{{- define "photofinish.hasLimits" -}}
{{- if regexMatch "\"(rpm_limit|tpm_limit|max_parallel_requests|max_budget)\":" (toJson .Values.config) }}yes{{ end }}
{{- end }}

{{/* Not empty if a log of the configuration is below /var/log/photofinish. */}}
{{- define "photofinish.hasLogs" -}}
{{- range $name := list "audit_log" "content_log" }}
{{- with get $.Values.config $name }}
{{- if and (kindIs "map" .) (hasPrefix "/var/log/photofinish/" (get . "file" | default "" | toString)) }}yes{{ end }}
{{- end }}
{{- end }}
{{- end }}

{{/* Fails for mistakes that would otherwise stay unnoticed. */}}
{{- define "photofinish.check" -}}
{{- $folders := list "/var/log/photofinish" "/var/lib/photofinish" "/dev" "/proc" }}
{{- range .Values.extraVolumeMounts }}{{ $folders = append $folders (get . "mountPath" | default "" | trimSuffix "/") }}{{ end }}
{{- range $name := list "audit_log" "content_log" }}
{{- $section := get $.Values.config $name }}
{{- $file := "" }}
{{- if kindIs "map" $section }}{{ $file = get $section "file" | default "" | toString }}{{ end }}
{{- $is_kept := not (hasPrefix "/" $file) }}
{{- range $folders }}{{ if hasPrefix (printf "%s/" .) $file }}{{ $is_kept = true }}{{ end }}{{ end }}
{{- if not $is_kept }}
{{- fail (printf "config.%s.file: pods can write only below /var/log/photofinish and the mounts of extraVolumeMounts: every line would be lost" $name) }}
{{- end }}
{{- end }}
{{- if and (gt (int (include "photofinish.mostReplicas" .)) 1) (include "photofinish.hasLimits" .) (not (get .Values.config "redis")) }}
{{- fail "several replicas with limits or budgets and without config.redis: each would admit all of them. Set config.redis, or one replica" }}
{{- end }}
{{- if and .Values.autoscaling.enabled (gt (int .Values.autoscaling.minReplicas) (int .Values.autoscaling.maxReplicas)) }}
{{- fail "autoscaling.minReplicas is more than autoscaling.maxReplicas" }}
{{- end }}
{{- if and .Values.ingress.enabled (not .Values.ingress.host) }}
{{- fail "ingress.host is missing" }}
{{- end }}
{{- if and .Values.httpRoute.enabled (not .Values.httpRoute.parentRefs) }}
{{- fail "httpRoute.parentRefs is missing: which Gateway is it for?" }}
{{- end }}
{{- end }}
