"""REST under /api/v1/hosts/: the hosts with their states, and pausing, draining and resuming one."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.generics import get_object_or_404
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from datasets_app.accounts.actor import Actor, actor_of
from datasets_app.accounts.roles import Scope
from datasets_app.api.json_requests import ModelRequestSerializer
from eval_app.models import Host
from eval_app.pages.hosts import state_of
from eval_app.workers import registry

HOLDS = {"paused": registry.pause_host, "draining": registry.drain_host, "": registry.resume_host}


class HostSerializer(ModelRequestSerializer[Host]):
    """A host, without its key."""

    state = serializers.SerializerMethodField(help_text='in words, such as "drained: it runs nothing"')
    hold = serializers.ChoiceField(
        choices=list(HOLDS), help_text="`paused`, `draining`, or empty: it takes verifications"
    )

    class Meta:
        model = Host
        fields = ["name", "kinds", "hold", "held_at", "state", "seen_at", "revoked_at"]
        read_only_fields = ["name", "kinds", "held_at", "seen_at", "revoked_at"]

    def get_state(self, host: Host) -> str:
        return state_of(host).words


class HostList(APIView):
    """All hosts."""

    @extend_schema(responses=HostSerializer(many=True))
    def get(self, request: Request) -> Response:
        return Response(HostSerializer(registry.hosts(actor=actor_of(request)), many=True).data)


class HostDetail(APIView):
    """One host; PATCH pauses, drains or resumes it."""

    write_scope = Scope.ADMIN

    @extend_schema(responses=HostSerializer)
    def get(self, request: Request, name: str) -> Response:
        return Response(HostSerializer(found(name, actor_of(request))).data)

    @extend_schema(request=HostSerializer, responses=HostSerializer)
    def patch(self, request: Request, name: str) -> Response:
        form = HostSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        actor = actor_of(request)
        try:
            host = HOLDS[form.validated_data["hold"]](found(name, actor).name, actor=actor)
        except registry.HostError as error:
            raise serializers.ValidationError({"hold": [str(error)]}) from error
        return Response(HostSerializer(host).data)


def found(name: str, actor: Actor) -> Host:
    return get_object_or_404(registry.hosts(actor=actor), name=name)
