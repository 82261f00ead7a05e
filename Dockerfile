# The image is the static binary of its platform and nothing else; make image
# builds the binaries first. How to run it: docs/operating.md, "In a container".
FROM scratch
ARG TARGETARCH
# The mode does not depend on the umask of whoever built the binary.
COPY --chmod=0755 bin/linux-${TARGETARCH}/dpu-exporter /dpu-exporter

ARG VERSION=unknown
ARG REVISION=unknown
LABEL org.opencontainers.image.title="dpu-exporter" \
      org.opencontainers.image.description="Prometheus exporter for DPUs and SmartNICs" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$REVISION" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.source="https://github.com/dpu-exporter/dpu-exporter"

# A number, since the image has no /etc/passwd and Kubernetes' runAsNonRoot can
# judge only numbers.
USER 65532:65532
EXPOSE 10042
ENTRYPOINT ["/dpu-exporter"]
