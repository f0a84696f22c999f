# The image of workers that run methods in Python (docs/methods.md): that of deploy/Dockerfile
# on Python with the libraries of your methods. From the root of the repository:
#
#     docker build -f deploy/Dockerfile -t agepath:dev .
#     docker build -f deploy/python.Dockerfile -t agepath-python:dev deploy
FROM agepath:dev AS programs

FROM python:3.13-slim
RUN pip install --no-cache-dir numpy scikit-learn
COPY --from=programs /coordinator /worker /
USER 65532:65532
ENTRYPOINT ["/coordinator"]
CMD ["--help"]
